import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInChromium } from "../support/chromium.js";
import type {} from "../support/view-harness/comparison-host.js";
import { comparisonPage } from "../support/view-harness/comparison-page.js";
import { rowsDrawnByFiltering } from "../support/view-harness/filtering.js";
import { VERDICTS } from "../../webview-ui/comparison/layout.js";
import { VERDICT_LOOKS } from "../../webview-ui/comparison/words.js";

/**
 * The comparison view's real bundle in a real browser, under the extension's content security policy. Its host compares
 * made-up runs with the project's own core, so that what is shown can be compared with what came out.
 */
await describeInChromium("the comparison view", (executablePath) => {
  let page: Page;
  let complaints: string[];
  const { open, grid, tab, calls, withVerdicts } = comparisonPage(
    executablePath,
    (opened) => ({ page, complaints } = opened),
  );

  const DIFFERING = ["worse", "better", "differs"];

  it("shows what is compared and only the rows that differ, by effect, with their verdicts in words", async () => {
    await open("scenario=two");
    await grid().waitFor();
    const differing = await withVerdicts(DIFFERING);
    expect(differing).toBeGreaterThan(5);
    await page.getByText(`${differing} of 48 rows`).waitFor();
    const verdicts = await grid().locator(".verdict").allTextContents();
    expect(verdicts.length).toBeGreaterThan(5);
    const words = ["worse", "better", "different"];
    expect(new Set(verdicts.map((text) => text.trim()).filter((text) => !words.includes(text)))).toEqual(new Set());
    const runs = page.getByRole("table", { name: "Compared runs" });
    await runs.getByRole("group", { name: "Baseline: main" }).waitFor();
    await runs.getByRole("group", { name: "Candidate 1: chunked prefill" }).waitFor();
    await page
      .getByRole("table", { name: "Configuration differences" })
      .getByRole("row", { name: "loadgen.concurrency 64 96" })
      .waitFor();
    await page.getByRole("radio", { name: "All" }).click();
    await page.getByText("48 rows", { exact: true }).waitFor();
    await page.getByRole("button", { name: /^worse, / }).click();
    await page.getByText(`${48 - (await withVerdicts(["worse"]))} of 48 rows`).waitFor();
    expect(complaints).toEqual([]);
  });

  it("compares vLLM with SGLang by concept, says how definitions differ and what is not compared", async () => {
    await open("scenario=engines");
    await grid().waitFor();
    await page.getByRole("radio", { name: "All" }).click();
    await page.getByText(/are of different servers: vLLM and SGLang\. \d+ quantities are compared/).waitFor();
    await page.getByText(/Not compared: Prefix cache hit rate \(not the same thing: vLLM gives .*last batch/).waitFor();
    const row = (name: string) => grid().getByRole("row").filter({ hasText: name }).first();
    await expect.poll(() => row("Requests running").textContent()).toContain("sglang:num_running_reqs");
    await row("KV cache usage").getByRole("gridcell").first().click();
    await page.getByText(/definitions differ: vLLM: share of blocks in use; SGLang: share of tokens in use/).waitFor();
    expect(complaints).toEqual([]);
  });

  it("filters 5,000 rows, draws only those in sight, and sorts by any column", async () => {
    await open("scenario=large");
    await grid().waitFor();
    await page.getByRole("radio", { name: "All" }).click();
    await page.getByText("5,048 rows", { exact: true }).waitFor();
    expect(await grid().getByRole("row").count()).toBeLessThan(80);
    const drawn = await rowsDrawnByFiltering(page.getByRole("searchbox", { name: "Filter rows" }), [
      ["cuda numa=4", "625 of 5,048 rows"],
      ["cuda", "5,000 of 5,048 rows"],
      ["cuda numa=3", "625 of 5,048 rows"],
    ]);
    expect(Math.max(...drawn)).toBeLessThan(80);
    await grid().getByRole("columnheader", { name: "%", exact: true }).getByRole("button").click();
    const shares = async () =>
      (await grid().locator('.grid-body [role=row] [data-column="6"]').allTextContents())
        .slice(0, 10)
        .map((text) => Number(text.replace("−", "-").replace(/[+ %]/g, "")));
    await expect.poll(async () => (await shares())[0]).toBeGreaterThan(7);
    expect(await shares()).toEqual([...(await shares())].sort((a, b) => b - a));
  });

  it("tells runs apart whose names begin alike, also where there is little room", async () => {
    await open("scenario=alike");
    const head = grid().locator('[data-group="baseline"]');
    await expect.poll(() => head.textContent()).toBe("…baseline-h100");
    expect(await head.getAttribute("title")).toBe("1500-baseline-h100");
    await expect.poll(() => grid().locator('[data-group="0"]').textContent()).toContain("1500-chunked-h100");
  });

  it("shows names of runs and metrics free of the table's edge and of buttons, however narrow it is", async () => {
    await open("scenario=five");
    await page.setViewportSize({ width: 720, height: 900 });
    await grid().waitFor();
    const scroller = page.locator(".differences .grid-scroller");
    /** Of the heads in sight: how far each name goes beyond the right edge. */
    const beyond = () =>
      scroller.evaluate((element) => {
        const edge = element.getBoundingClientRect().left + element.clientWidth;
        return [...element.querySelectorAll(".group-name")].flatMap((name) => {
          const { right } = name.getBoundingClientRect();
          const { left = Infinity } = name.closest("[data-group]")?.getBoundingClientRect() ?? {};
          return left < edge - 60 ? [Math.max(0, Math.round(right - edge))] : [];
        });
      });
    for (const scrolled of [0, 300, 600, 5000]) {
      await scroller.evaluate((element, left) => element.scrollTo({ left }), scrolled);
      await expect.poll(beyond).not.toEqual([]);
      await expect.poll(async () => Math.max(...(await beyond()))).toBe(0);
    }
    const covered = await grid()
      .locator(".grid-body .grid-cell:has(> .row-menu)")
      .evaluateAll(
        (cells) =>
          cells.filter((cell) => {
            const menu = cell.querySelector(".row-menu")?.getBoundingClientRect().left ?? 0;
            return [...cell.querySelectorAll(".short, .codicon:not(.row-menu *)")].some(
              (name) => name.getBoundingClientRect().right > menu,
            );
          }).length,
      );
    expect(covered).toBe(0);
  });

  it("is used with the keyboard alone: cells, details, copying, the menu, a chart", async () => {
    await open("scenario=two");
    await grid().waitFor();
    await page.getByRole("searchbox", { name: "Filter rows" }).fill("first token engine=1");
    const rows = grid().locator(".grid-body > .grid-row");
    await expect.poll(() => rows.count()).toBeGreaterThan(1);
    await rows.first().getByRole("gridcell").first().focus();
    const focused = () =>
      page.evaluate(() => document.activeElement?.closest<HTMLElement>("[data-row]")?.dataset["row"]);
    const first = await focused();
    await page.keyboard.press("ArrowDown");
    await expect.poll(focused).not.toBe(first);
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowUp");
    await expect.poll(focused).toBe(first);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await grid().getByRole("columnheader", { name: "Quantity" }).and(page.locator("[aria-sort=ascending]")).waitFor();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    await page.getByRole("button", { name: "Default order" }).click();
    await rows.first().getByRole("gridcell").first().focus();
    for (let i = 0; i < 8; i++) await page.keyboard.press("ArrowRight");
    await page.getByRole("tooltip").getByText("effective sample size").waitFor();
    await page.keyboard.press(" ");
    await grid().getByText("rests on").waitFor();
    await page.keyboard.press("Control+c");
    await expect.poll(() => calls("copy")).toHaveLength(1);
    expect(JSON.stringify(await calls("copy"))).toMatch(/time_to_first_token_seconds.*\*\*worse\*\*/);
    await page.keyboard.press("Shift+F10");
    const menu = page.getByRole("menu");
    await menu.getByRole("menuitemradio", { name: "As in the catalogue", checked: true }).waitFor();
    await menu.getByRole("menuitemradio", { name: "Higher is better" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => calls("configure")).toEqual([{ directions: { "vllm:time_to_first_token_seconds": "up" } }]);
    // What was worse is better now: every row of the family turns.
    await expect
      .poll(
        async () =>
          new Set((await grid().locator(".grid-body .grid-row .verdict").allTextContents()).map((text) => text.trim())),
      )
      .toEqual(new Set(["better"]));
    await rows.first().getByRole("gridcell").first().focus();
    await page.keyboard.press("Enter");
    await page
      .getByRole("region", { name: "Time to first token engine=1" })
      .getByRole("img", { name: /all runs$/ })
      .waitFor();
    expect(complaints).toEqual([]);
  });

  it("judges anew by another threshold and refuses what is none", async () => {
    await open("scenario=two");
    await grid().waitFor();
    const before = await withVerdicts(DIFFERING);
    const threshold = page.getByRole("textbox", { name: "Threshold of practical relevance in per cent" });
    await threshold.fill("-3");
    await threshold.press("Enter");
    expect(await threshold.inputValue()).toBe("3");
    await threshold.fill("60");
    await threshold.press("Enter");
    await expect.poll(() => calls("configure")).toEqual([{ threshold: 0.6 }]);
    await expect.poll(() => withVerdicts(DIFFERING)).toBeLessThan(before);
    await page.getByText(`${await withVerdicts(DIFFERING)} of 48 rows`).waitFor();
  });

  it("says so when nothing differs, and shows all on demand", async () => {
    await open("scenario=same");
    await page.getByText("No metric differs by 3 % or more: of 48 rows").waitFor();
    await page.getByRole("button", { name: "Show All Rows" }).click();
    await grid().waitFor();
    await page.getByText("48 rows", { exact: true }).waitFor();
    // What the verdicts mean is told to the keyboard, and to the pointer.
    await page.getByRole("button", { name: "What the verdicts mean" }).press("Enter");
    for (const verdict of VERDICTS) await page.getByText(VERDICT_LOOKS[verdict].meaning, { exact: true }).waitFor();
    const title = await page.getByRole("button", { name: /^cannot tell, / }).getAttribute("title");
    expect(title).toBe("cannot tell: the data do not allow a judgement");
  });

  it("tells nothing of a capture that has only begun, and says why above and in every row", async () => {
    await open("scenario=early");
    await page
      .getByRole("region", { name: "Warnings" })
      .getByText(
        "Incomparable: now has run for 45 s of the 120 s of main: too early to tell. Verdicts appear once it is half as long.",
      )
      .waitFor();
    await page.getByText("48 rows compared, none could be judged.").waitFor();
    await page.getByRole("button", { name: "Show All Rows" }).click();
    await grid().waitFor();
    expect(new Set((await grid().locator(".verdict").allTextContents()).map((text) => text.trim()))).toEqual(
      new Set(["cannot tell"]),
    );
    await grid().locator(".grid-body > .grid-row").first().getByRole("gridcell").first().focus();
    await page.keyboard.press(" ");
    await grid().getByText("cannot tell: now has run for 45 s of the 120 s of main").waitFor();
    expect(complaints).toEqual([]);
  });

  it("shows how series were matched, changes a rule, and lists what was left over", async () => {
    await open("scenario=two");
    await grid().waitFor();
    await tab("Matching").click();
    const rules = page.getByRole("table", { name: "Rules for labels" });
    await rules.getByRole("row", { name: /engine.*paired \(auto\)/ }).waitFor();
    const unmatched = page.getByRole("grid", { name: "Unmatched series" });
    await unmatched.getByText("the baseline has no such family").waitFor();
    await rules.getByRole("combobox", { name: "Rule for engine" }).click();
    await rules.getByRole("option", { name: "aggregate" }).click();
    await expect.poll(() => calls("configure")).toEqual([{ labelRules: [{ label: "engine", mode: "aggregate" }] }]);
    await rules.getByRole("row", { name: /engine.*aggregated, as you set it/ }).waitFor();
    await tab("Differences").click();
    await page.getByText(/of 25 rows/).waitFor();
  });

  it("exports the report and the rows that are shown", async () => {
    await open("scenario=two");
    await grid().waitFor();
    await page.getByRole("searchbox", { name: "Filter rows" }).fill("requests waiting");
    await page.getByText("2 of 48 rows").waitFor();
    await page.getByRole("button", { name: "Copy shown rows as Markdown" }).click();
    await expect.poll(() => calls("copy")).toHaveLength(1);
    const [copied] = (await calls("copy")) as { text: string; what: string }[];
    expect(copied?.what).toBe("2 rows");
    expect(
      copied?.text
        .split("\n")
        .filter((line) => line.startsWith("| Requests waiting") && line.includes("`vllm:num_requests_waiting")),
    ).toHaveLength(2);
    const menu = async () => {
      await page.getByRole("button", { name: "Export the comparison" }).click();
      return page.getByRole("dialog", { name: "Export the comparison" });
    };
    await (await menu()).getByRole("button", { name: "Save as CSV…" }).click();
    const dialog = await menu();
    await dialog.getByRole("radio", { name: "Shown rows (2)" }).click();
    await dialog.getByRole("button", { name: "Save as Markdown…" }).click();
    await expect.poll(() => calls("saveReport")).toHaveLength(2);
    const [csv, markdown] = (await calls("saveReport")) as { format: string; rows?: string[] }[];
    expect(csv).toEqual({ format: "csv" });
    expect(markdown?.format).toBe("markdown");
    expect(markdown?.rows?.every((id) => id.startsWith("vllm:num_requests_waiting"))).toBe(true);
    expect(markdown?.rows).toHaveLength(2);
  });

  it("remembers filter, tab and charts, and tells the host what was compared", async () => {
    await open("scenario=two");
    await grid().waitFor();
    await page.getByRole("searchbox", { name: "Filter rows" }).fill("waiting");
    await tab("Charts").click();
    await page.getByRole("radio", { name: "Side by side" }).click();
    await expect
      .poll(async () => JSON.stringify((await calls("saveComparisonLayout")).at(-1)))
      .toContain("side-by-side");
    const kept = await page.evaluate(
      () => JSON.parse(sessionStorage.getItem("comparison-state-two") ?? "null") as { sources: { label: string }[] },
    );
    expect(kept.sources.map(({ label }) => label)).toEqual(["main", "chunked prefill"]);
    // Without its own memory: from the host's.
    await page.evaluate(() => sessionStorage.removeItem("comparison-state-two"));
    await page.reload();
    await grid().waitFor();
    await tab("Charts").click();
    await page.getByRole("radio", { name: "Side by side", checked: true }).waitFor();
    await tab("Differences").click();
    expect(await page.getByRole("searchbox", { name: "Filter rows" }).inputValue()).toBe("waiting");
  });

  it.each(["dark", "light", "hc"] as const)(
    "is drawn in the theme %s without a complaint, wide and narrow",
    async (theme) => {
      await open(`scenario=five&theme=${theme}`);
      await grid().waitFor();
      for (const width of [1400, 480]) {
        await page.setViewportSize({ width, height: 900 });
        for (const name of ["Charts", "Matching", "Differences"]) {
          await tab(name).click();
          await page.getByRole("tabpanel", { name }).waitFor();
        }
        // The page itself never scrolls sideways: what is wide does so by itself.
        expect(
          await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
        ).toBe(0);
      }
      expect(complaints).toEqual([]);
    },
  );
});
