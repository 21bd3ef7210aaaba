import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInChromium } from "../support/chromium.js";
import type {} from "../support/view-harness/page.js";
import { viewPages } from "../support/view-harness/pages.js";

/** What the core makes: figures with their units, names of series and metrics, verdicts, configurations. */
const OF_THE_CORE: readonly RegExp[] = [
  /^[\d.≥ k]+(to [\d.]+ k? ?)?(requests|tokens|MiB|observations)(\/s)?$/,
  /^\d+ × vLLM$|^max [\d.]+ %$|^average of \d+$|^\w+(\.\w+|\[.*\])+$|^[\w ]*\w+=\S+$|^\d+ Nov 2025$/,
  /^(\d+ )?(worse|better|different|no evidence|cannot tell|same)$|^from 0$| → /,
  /^(Request latency|Time to first token|Inter-token latency|concurrency \d+|Knee by .*|Irwin .*|sensitivity 1|Load|Satopää|Albrecht|avg|Loading|latency p99 .*)$/,
  /^the load above which latency grows faster than throughput\.$/,
];

/** Texts of a page, seen and spoken, without what is in brackets; none that the host sent. */
const bare = (page: Page) =>
  page.evaluate(() => {
    const texts = new Set<string>();
    const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (nodes.nextNode() !== null)
      if (nodes.currentNode.parentElement?.closest("script, style, code") === null)
        texts.add(nodes.currentNode.textContent ?? "");
    for (const name of ["title", "aria-label", "placeholder", "aria-description", "aria-valuetext"])
      for (const element of document.querySelectorAll(`[${name}]`)) texts.add(element.getAttribute(name) ?? "");
    const sent = window.sent.join("\n");
    return [...texts].flatMap((text) => {
      let left = text;
      for (let before = ""; before !== left;) [before, left] = [left, left.replace(/⟦[^⟦⟧]*⟧/g, "|")];
      return left
        .split(/[|\n·:,;()–]/)
        .map((part) => part.trim().replace(/^→ /, ""))
        .filter((part) => /[A-Za-z]{3}/.test(part) && !sent.includes(part));
    });
  });

await describeInChromium("the views in another language", (executablePath) => {
  const pages = viewPages(executablePath);

  const CELL = ".grid-body [role=gridcell]";
  const CHART = ".chart-canvas canvas";
  it.each<readonly [path: string, shown: string, tabs: Readonly<Record<string, string>>]>([
    [
      "?still",
      CHART,
      { Explore: CHART, Servers: ".panel", Statistics: CELL, Timeslices: CELL, Details: "[role=treeitem]" },
    ],
    ["?every=333&seconds=20", CHART, {}],
    ["?still&scenario=client", ".finding", {}],
    ["comparison?scenario=two", CELL, { Charts: CHART, Matching: "table" }],
    ["library?", CELL, {}],
    ["experiment?", "table", {}],
    ["experiment?scenario=running", "table", {}],
  ])("%s has no text of its own that is not translated", async (path, shown, tabs) => {
    const { page, complaints } = await pages.open(`bracketed/${path}`);
    const untranslated = async () => (await bare(page)).filter((text) => !OF_THE_CORE.some((core) => core.test(text)));
    await page.locator(shown).first().waitFor();
    await expect.poll(untranslated).toEqual([]);
    for (const [name, within] of Object.entries(tabs)) {
      await page.getByRole("tab", { name: `⟦${name}⟧`, exact: true }).click();
      await page.locator(within).first().waitFor();
      await expect.poll(untranslated, { message: name }).toEqual([]);
    }
    expect(complaints).toEqual([]);
  });
});
