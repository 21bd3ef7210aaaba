import type { Locator, Page } from "playwright-core";
import { expect, it } from "vitest";
import type { ComparisonRequests } from "../../src/protocol/comparison.js";
import { describeInChromium } from "../support/chromium.js";
import type {} from "../support/view-harness/comparison-host.js";
import { rowsDrawnByFiltering } from "../support/view-harness/filtering.js";
import { viewPages } from "../support/view-harness/pages.js";

/**
 * The comparison view's real bundle in a real browser, under the extension's content security policy. Its host compares
 * made-up runs with the project's own core, so that what is shown can be compared with what came out.
 */
await describeInChromium("the comparison view", (executablePath) => {
  const pages = viewPages(executablePath);
  let page: Page;
  let complaints: string[];

  async function open(query: string): Promise<void> {
    ({ page, complaints } = await pages.open(`comparison?${query}`));
  }

  const grid = (): Locator => page.getByRole("grid", { name: "Differences" });
  const tab = (name: string): Locator => page.getByRole("tab", { name });
  const calls = (name: string) =>
    page.evaluate(
      (wanted) => window.comparisonHarness.calls.filter((call) => call.name === wanted).map((call) => call.params),
      name,
    );
  /** Of the result that the host holds: rows with one of these verdicts. */
  const withVerdicts = (verdicts: readonly string[]) =>
    page.evaluate(
      (wanted) =>
        window.comparisonHarness
          .comparison()
          ?.rows.filter(({ cells }) => cells.some(({ verdict }) => wanted.includes(verdict))).length ?? -1,
      verdicts,
    );
  const labels = () => page.evaluate(() => window.comparisonHarness.state().runs.map(({ label }) => label));
  /** Ends the reading of these runs once it is shown, and gives what was asked for so far. */
  const rereading = async (...runs: readonly string[]) => {
    for (const label of runs) await page.getByRole("progressbar", { name: `Reading ${label}` }).waitFor();
    await page.evaluate(() => window.comparisonHarness.finishReading());
    return calls("readAgain");
  };
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

  it("draws a ratio as its row compares it, in a chart of its own", async () => {
    await open("scenario=two");
    await grid().waitFor();
    await page.getByRole("radio", { name: "All" }).click();
    await page.getByRole("searchbox", { name: "Filter rows" }).fill("prefix cache hit rate");
    await page.getByText(/^\d of 48 rows$/).waitFor();
    const cell = grid().getByRole("row").filter({ hasText: "ratio" }).getByRole("gridcell").first();
    await cell.click({ button: "right" });
    await page.getByRole("menuitem", { name: "Show in Charts" }).click();
    const card = page.locator(".chart-card").filter({ hasText: "ratio" });
    await card.locator(".chart-canvas canvas").first().waitFor();
    for (const run of ["main", "chunked prefill"])
      await expect
        .poll(() => card.locator(".legend-entry").filter({ hasText: run }).first().textContent())
        .toMatch(/\d %$/);
    expect(complaints).toEqual([]);
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
      .dragTo(page.getByRole("columnheader", { name: /main/ }).first());
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

  it("charts all runs on one axis, asks for a stretch in detail when zoomed, and aligns them elsewhere", async () => {
    await open("scenario=two");
    await grid().waitFor();
    await tab("Charts").click();
    const cards = page.locator(".compared-card");
    await expect.poll(() => cards.count()).toBe(4);
    const overlaid = cards.first().getByRole("img", { name: /all runs$/ });
    await overlaid.waitFor();
    type Asked = ComparisonRequests["runChart"]["params"];
    const asked = async () => (await calls("runChart")) as Asked[];
    // One request a card, for both runs.
    await expect.poll(async () => (await asked()).length).toBe(4);
    expect(
      (await asked()).every(
        ({ maxPoints, runs }) =>
          maxPoints <= 2000 && runs.length === 2 && runs.every(({ window }) => window?.from === undefined),
      ),
    ).toBe(true);

    await overlaid.hover();
    await expect.poll(() => page.locator(".crosshair:not([hidden])").count()).toBeGreaterThan(3);
    const box = await overlaid.boundingBox();
    if (box === null) throw new Error("the chart has no place");
    await page.mouse.move(box.x + 200, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + 300, box.y + 70, { steps: 4 });
    await page.mouse.up();
    const zoomed = async () => (await asked()).filter(({ runs }) => runs[0]?.window?.from !== undefined);
    await expect.poll(async () => (await zoomed()).length).toBe(4);
    // Both runs warmed up for as long: the same stretch of both.
    const stretches = (await zoomed()).flatMap(({ runs }) => runs);
    expect(new Set(stretches.map(({ window }) => `${window?.from} ${window?.to}`)).size).toBe(1);
    expect(new Set(stretches.map(({ run }) => run)).size).toBe(2);
    await page.getByRole("button", { name: "Reset Zoom" }).click();

    await page.getByRole("radio", { name: "Side by side" }).click();
    await cards
      .first()
      .getByRole("img", { name: /chunked prefill$/ })
      .waitFor();
    // The difference's times lie under those of the runs.
    const across = async (name: string) => {
      const box = await cards.first().getByRole("img", { name }).boundingBox();
      return [box?.x, box?.width];
    };
    const title = await cards.first().getByRole("heading").textContent();
    expect(await across(`Difference of ${title ?? ""} over time`)).toEqual(
      await across(`Chart of ${title ?? ""}, main`),
    );
    await page.getByRole("radio", { name: "Wall clock" }).click();
    await page.getByRole("radio", { name: "First request" }).click();
    const histogram = page.getByRole("region", { name: /^Time to first token/ });
    await histogram.getByRole("radio", { name: "Distribution" }).click();
    await histogram
      .getByRole("listitem", { name: /^100 ms – 250 ms: main \d+(\.\d+)? %, chunked prefill \d/ })
      .waitFor();
    expect(await histogram.getByRole("table", { name: "Quantiles of all runs" }).getByRole("row").count()).toBe(5);
    await histogram.getByRole("radio", { name: "Heatmaps" }).click();
    await expect.poll(() => histogram.getByRole("img", { name: /^Heatmap of/ }).count()).toBe(2);
    // One colour scale for both.
    expect(new Set(await histogram.locator(".heat-legend").allTextContents()).size).toBe(1);
    await histogram.getByRole("button", { name: /^Remove the chart/ }).click();
    await expect.poll(() => cards.count()).toBe(3);
    await page.getByRole("button", { name: "Add Chart" }).click();
    await page.keyboard.type("resident memory");
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: /^Process memory/ }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("keeps the chosen charts when another run becomes the baseline", async () => {
    await open("scenario=five");
    await grid().waitFor();
    await tab("Charts").click();
    const cards = page.locator(".compared-card");
    await expect.poll(() => cards.count()).toBe(4);
    const titles = () => cards.getByRole("heading").allTextContents();
    const first = await titles();
    await cards
      .first()
      .getByRole("button", { name: /^Remove the chart/ })
      .click();
    await page.getByRole("button", { name: "Add Chart" }).click();
    await page.keyboard.type("resident memory");
    await page.keyboard.press("Enter");
    const chosen = [...first.slice(1), expect.stringMatching(/^Process memory/)];
    await expect.poll(titles).toEqual(chosen);
    const drawn = () => cards.getByRole("img", { name: /all runs$/ }).count();
    await expect.poll(drawn).toBe(4);
    const asked = (await calls("runChart")).length;
    await page.getByRole("button", { name: "Make fp8 KV cache the baseline" }).click();
    await page.getByRole("group", { name: "Baseline: fp8 KV cache" }).waitFor();
    // Drawn from the new result, each over all runs.
    await expect.poll(async () => (await calls("runChart")).length).toBeGreaterThanOrEqual(asked + 4);
    await expect.poll(drawn).toBe(4);
    expect(await titles()).toEqual(chosen);
    expect(complaints).toEqual([]);
  });

  it("draws histograms of several series as what all of them observed, with the difference under them", async () => {
    await open("scenario=five");
    await grid().waitFor();
    await tab("Charts").click();
    await page.getByRole("button", { name: "Add Chart" }).click();
    await page.keyboard.type("time to first token");
    // A run of one engine is compared with the sum of the baseline's two; the others by engine.
    await page.getByRole("option", { name: /^Time to first token\s+model_name/ }).click();
    // Not the one of a single engine, which the comparison may show by itself.
    const histogram = page.getByRole("region", { name: "Time to first token", exact: true });
    await histogram.getByText("2 series combined").waitFor();
    await histogram.getByRole("img", { name: /^Difference of Time to first token/ }).waitFor();
    // A line for each run that the row compares.
    expect(await histogram.getByRole("list", { name: "Lines" }).getByRole("listitem").count()).toBe(2);
    for (const quantity of ["p50", "p99", "avg"]) {
      await histogram.getByRole("radio", { name: quantity, exact: true }).click();
      await histogram.getByRole("img", { name: /^Difference of/ }).waitFor();
      expect(await histogram.getByText("No difference").count()).toBe(0);
    }
    // Two runs of other days have no time in common.
    await page.getByRole("radio", { name: "Wall clock" }).click();
    await histogram.getByText("No difference is drawn: the runs have no time in common on this axis.").waitFor();
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
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Retry broken.parquet");
    await page.keyboard.press("Enter");
    expect(await rereading("broken.parquet")).toEqual([{ runs: ["/data/broken.parquet"] }]);
    // It fails again, says why, and the keys are still at its place.
    await reason.waitFor();
    await failed.getByRole("button", { name: "Retry broken.parquet" }).waitFor();
    await failed.and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
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
