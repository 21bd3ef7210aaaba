import type { Locator, Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInChromium } from "../support/chromium.js";
import { colorDistance } from "../support/color-distance.js";
import type {} from "../support/view-harness/comparison-host.js";
import { comparisonPage } from "../support/view-harness/comparison-page.js";

/** The comparison view's runs: which one is the baseline, those that come and go, and those that cannot be read. */
await describeInChromium("runs of the comparison view", (executablePath) => {
  let page: Page;
  let complaints: string[];
  const { open, grid, tab, labels, rereading, calls } = comparisonPage(
    executablePath,
    (opened) => ({ page, complaints } = opened),
  );

  it("changes the baseline by button, keys and dragging, leaves runs out and adds others", async () => {
    await open("scenario=five");
    await grid().waitFor();
    const start = await labels();
    const colors = () =>
      page
        .getByRole("table", { name: "Compared runs" })
        .locator(".run-name")
        .evaluateAll((names) =>
          Object.fromEntries(names.map((name) => [name.textContent, name.firstElementChild?.className])),
        );
    const first = await colors();
    expect(new Set(Object.values(first)).size).toBe(5);
    await page.getByRole("button", { name: "Make fp8 KV cache the baseline" }).click();
    await expect.poll(labels).toEqual(["fp8 KV cache", "main", "chunked prefill", "main again", start[4]]);
    expect(await colors()).toEqual(first);
    await page
      .getByRole("group", { name: "Baseline: fp8 KV cache" })
      .getByRole("button", { name: "Move fp8 KV cache right" })
      .focus();
    await page.keyboard.press("Alt+ArrowRight");
    await expect.poll(labels).toEqual(["main", "fp8 KV cache", "chunked prefill", "main again", start[4]]);
    await page
      .getByRole("columnheader", { name: /chunked prefill/ })
      .first()
      .dragTo(page.getByRole("columnheader", { name: /main/ }).first(), { targetPosition: { x: 12, y: 20 } });
    await expect.poll(labels).toEqual(["chunked prefill", "main", "fp8 KV cache", "main again", start[4]]);
    await page.getByRole("button", { name: "Remove main again" }).click();
    await expect.poll(labels).toEqual(["chunked prefill", "main", "fp8 KV cache", start[4]]);
    expect(first).toMatchObject(await colors());
    await page.getByRole("button", { name: "Add Run…" }).click();
    await expect.poll(labels).toEqual(["chunked prefill", "main", "fp8 KV cache", start[4], "added later"]);
    await expect
      .poll(async () => (await grid().locator(".group-cell").allTextContents()).map((text) => text.trim()))
      .toEqual(await labels());
    await page.getByRole("button", { name: "Open main", exact: true }).click();
    await expect
      .poll(async () => (await calls("openRun")) as unknown)
      .toEqual([{ run: "/data/sweep/main/server_metrics_export.parquet" }]);
    expect(complaints).toEqual([]);
  });

  it("compares runs as repeats that are dragged onto each other or joined by a button, and apart again", async () => {
    await open("scenario=five");
    await grid().waitFor();
    const heads = async () => (await grid().locator(".group-cell").allTextContents()).map((text) => text.trim());
    const column = (name: RegExp) => page.getByRole("columnheader", { name }).first();
    await column(/main again/).dragTo(column(/Baseline\W+main/));
    await page.getByRole("group", { name: "Baseline, repeat 2 of 2: main again" }).waitFor();
    await expect.poll(async () => (await heads())[0]).toBe("main ×2");
    const sets = await heads();
    expect(sets.length).toBe(4);
    // Each of them is drawn, in one colour and under one name.
    await tab("Charts").click();
    await page.getByText("Thin lines are the runs of a set").first().waitFor();
    const lines = page.getByRole("table", { name: "Lines" }).first().getByRole("button");
    const names = (await lines.allTextContents()).map((text) => text.replace(/ · .*/, ""));
    expect([names[0], names.filter((name) => !sets.includes(name))]).toEqual(["main ×2", []]);
    await tab("Differences").click();
    await page.getByRole("button", { name: "Make fp8 KV cache a repeat of the run before it" }).click();
    await page.getByRole("group", { name: "Candidate 1, repeat 2 of 2: fp8 KV cache" }).waitFor();
    await page.getByRole("button", { name: "Compare main again by itself" }).click();
    await page.getByRole("group", { name: "Candidate 1: main again" }).waitFor();
    await expect.poll(async () => (await heads())[0]).toBe("main");
    expect(complaints).toEqual([]);
  });

  it("folds the header into a line as the rows are scrolled", async () => {
    await open("scenario=five");
    await page.getByRole("radio", { name: "All" }).click();
    const scroller = page.locator(".difference-scroller");
    await expect.poll(() => scroller.evaluate((one) => one.scrollHeight - one.clientHeight)).toBeGreaterThan(99);
    await scroller.evaluate((one) => one.scrollTo({ top: 100 }));
    const folded = page.getByRole("button", { name: /^main → .* → / });
    await folded.waitFor();
    const bar = page.locator(".tab-bar");
    expect(await bar.evaluate((element) => element.getBoundingClientRect().top)).toBeLessThan(1);
    await folded.click();
    await folded.waitFor({ state: "detached" });
    await page.getByRole("region", { name: "In short" }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("tells 24 runs apart by colour and pattern everywhere, in every theme", async () => {
    await open("scenario=sweep24");
    await grid().waitFor();
    const inEveryTheme = async (look: (theme: string) => Promise<void>) => {
      for (const theme of ["dark", "light", "hc", "hc-light"] as const) {
        await page.evaluate((name) => window.setTheme(name), theme);
        await look(theme);
      }
    };
    const looks = (place: Locator) =>
      place.evaluateAll((all) =>
        all.map((one) => {
          const { backgroundImage, backgroundColor, stroke, strokeDasharray } = getComputedStyle(one);
          const painted = `${backgroundColor} ${backgroundImage}`;
          // What is painted in no colour is not there.
          const seen = one.matches("path") ? stroke !== "none" : painted !== "rgba(0, 0, 0, 0) none";
          return seen ? `${painted} ${stroke} ${strokeDasharray}` : "";
        }),
      );
    const apart = (place: Locator, count: number) =>
      inEveryTheme(async (theme) => {
        const all = await looks(place);
        expect([all.length, new Set(all).size, all.includes("")], theme).toEqual([count, count, false]);
      });
    const runs = page.getByRole("table", { name: "Compared runs" });
    await apart(runs.locator(".run-swatch"), 24);
    await inEveryTheme(async (theme) => {
      const colors = await runs
        .locator(".run-swatch.run-round-0")
        .evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor));
      const distances = colors.flatMap((a, i) => colors.slice(0, i).map((b) => colorDistance(a, b)));
      expect([colors.length, Math.min(...distances) > 0.07], theme).toEqual([12, true]);
    });
    const details = page.locator(".details-side");
    await page
      .getByRole("button", { name: /^Show the details of/ })
      .first()
      .click();
    await details.first().waitFor();
    await apart(details.locator(".run-swatch"), 24);
    await apart(details.locator(".trend path:last-child"), 23);
    await tab("Charts").click();
    const card = page.locator(".compared-card").filter({ has: page.getByRole("radio", { name: "Distribution" }) });
    const legend = card.first().getByRole("table", { name: "Lines" });
    await legend.waitFor();
    await apart(legend.locator(".legend-swatch"), 24);
    await card.first().getByRole("radio", { name: "Distribution" }).click();
    const bars = card.first().locator(".compared-distribution .bar").first().locator(".bar-side");
    await bars.first().waitFor();
    await apart(bars, 24);
    expect(complaints).toEqual([]);
  });

  it("names the first of many runs in the heading, and all of them to who asks", async () => {
    await open("scenario=sweep24");
    await page.setViewportSize({ width: 1280, height: 900 });
    await grid().waitFor();
    const all = await labels();
    const heading = page.getByRole("heading", { level: 1, name: all.join(" → "), exact: true });
    const seen = `${all.slice(0, 3).join(" → ")} …and 21 more`;
    expect(await heading.locator("[aria-hidden]").textContent()).toBe(seen);
    expect(((await heading.getAttribute("title")) ?? "").split("\n→ ")).toEqual(all);
    const lines = await heading.evaluate((one) => one.clientHeight / Number.parseFloat(getComputedStyle(one).fontSize));
    expect(lines).toBeLessThan(2);
    await page.getByRole("radio", { name: "All" }).click();
    await page.locator(".difference-scroller").evaluate((one) => one.scrollTo({ top: 100 }));
    const folded = page.getByRole("button", { name: all.join(" → "), exact: true });
    expect(await folded.locator("[aria-hidden]").first().textContent()).toBe(seen);
    expect(complaints).toEqual([]);
  });

  it("shows how far reading is, what could not be read, and why runs cannot be compared", async () => {
    await open("scenario=reading");
    await page.getByRole("progressbar", { name: "Reading chunked prefill" }).waitFor();
    await page.getByText("reading, 42 %").waitFor();
    await page.close();
    await open("scenario=failed");
    await page
      .getByRole("alert")
      .filter({ hasText: "broken.parquet ends in the middle of a row group. Export the run again" })
      .waitFor();
    await grid().waitFor();
    await page.close();
    await open("scenario=incomparable");
    await page.getByRole("alert").filter({ hasText: "no metric family in common" }).waitFor();
    await page.getByRole("cell", { name: "not compared", exact: true }).waitFor();
    await page.close();
    await open("scenario=broken");
    await page.getByRole("alert").filter({ hasText: "the engine of this comparison does not answer" }).waitFor();
    await page.evaluate(() => window.comparisonHarness.failing.clear());
    await page.getByRole("button", { name: "Retry" }).click();
    await grid().waitFor();
  });

  it("reads a run again that could not be read, by the keys alone, until it can", async () => {
    await open("scenario=failed");
    const failed = page.getByRole("group", { name: "Not compared: broken.parquet" });
    const reason = page
      .getByRole("alert")
      .filter({ hasText: "broken.parquet ends in the middle of a row group. Export the run again" });
    await reason.waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    await failed.getByRole("button", { name: "Open broken.parquet" }).focus();
    await page.keyboard.press("ArrowRight");
    expect(await focused()).toBe("Retry broken.parquet");
    await page.keyboard.press("Enter");
    expect(await rereading("broken.parquet")).toEqual([{ runs: ["/data/broken.parquet"] }]);
    // It fails again, says why, and the keys are still at its place.
    await reason.waitFor();
    await failed.getByRole("button", { name: "Retry broken.parquet" }).waitFor();
    await failed.and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowRight");
    expect(await focused()).toBe("Retry broken.parquet");
    await page.keyboard.press("Enter");
    await rereading("broken.parquet");
    await page.getByRole("group", { name: "Candidate 2: broken.parquet" }).waitFor();
    await expect
      .poll(async () => (await grid().locator(".group-cell").allTextContents()).map((text) => text.trim()))
      .toEqual(await labels());
    expect(complaints).toEqual([]);
  });

  it("reads all runs again where nothing could be compared", async () => {
    await open("scenario=incomparable");
    await page
      .getByRole("alert")
      .filter({ hasText: "no metric family in common" })
      .getByRole("button", { name: "Retry" })
      .click();
    expect(await rereading("main", "chunked prefill")).toEqual([
      { runs: ["main", "chunked-prefill"].map((name) => `/data/sweep/${name}/server_metrics_export.parquet`) },
    ]);
    await page.getByRole("alert").filter({ hasText: "no metric family in common" }).waitFor();
    await page.getByRole("button", { name: "Remove chunked prefill" }).click();
    await page.getByRole("status").filter({ hasText: "One run: add another" }).waitFor();
  });

  it("keeps one run when the others are taken out, and waits for one to compare it with", async () => {
    await open("scenario=two");
    await grid().waitFor();
    await page.getByRole("button", { name: "Remove main" }).click();
    const alone = page.getByRole("status").filter({ hasText: "One run: add another to compare it with." });
    await alone.waitFor();
    expect(await labels()).toEqual(["chunked prefill"]);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("chunked prefill");
    await page.getByRole("group", { name: "Baseline: chunked prefill" }).waitFor();
    await page.getByText("nothing to compare it with yet").waitFor();
    // What was found of the two is no longer said of the one.
    for (const gone of [
      grid(),
      page.getByRole("table", { name: "Configuration differences" }),
      page.getByRole("button", { name: /^Remove|^Export/ }),
    ])
      expect(await gone.count()).toBe(0);
    expect(await page.evaluate(() => sessionStorage.getItem("comparison-state-two"))).toMatch(
      /"sources":\[\{[^{}]*"label":"chunked prefill"\}\]/,
    );
    await alone.getByRole("button", { name: "Add Run…" }).click();
    await expect.poll(labels).toEqual(["chunked prefill", "added later"]);
    await grid().waitFor();
    await expect
      .poll(async () => (await grid().locator(".group-cell").allTextContents()).map((text) => text.trim()))
      .toEqual(["chunked prefill", "added later"]);
    expect(complaints).toEqual([]);
  });
});
