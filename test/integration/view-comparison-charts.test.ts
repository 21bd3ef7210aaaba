import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import type { ComparisonRequests } from "../../src/protocol/comparison.js";
import { describeInChromium } from "../support/chromium.js";
import type {} from "../support/view-harness/comparison-host.js";
import { comparisonPage } from "../support/view-harness/comparison-page.js";

/** The comparison view's charts: all runs of a row on one axis, with their difference. */
await describeInChromium("charts of the comparison view", (executablePath) => {
  let page: Page;
  let complaints: string[];
  const { open, grid, tab, calls } = comparisonPage(executablePath, (opened) => ({ page, complaints } = opened));

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
        .poll(() => card.locator(".legend tr").filter({ hasText: run }).first().textContent())
        .toMatch(/\d %$/);
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
    expect(await histogram.locator(".legend-entry").count()).toBe(2);
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

  it("names the lines nearest to the pointer in a tooltip, and how many there are besides", async () => {
    await open("scenario=sweep24");
    await grid().waitFor();
    await tab("Charts").click();
    const card = page.getByRole("region", { name: /^Requests waiting/ }).first();
    const chart = card.getByRole("img", { name: /all runs$/ });
    await chart.scrollIntoViewIfNeeded();
    // A tooltip is painted: what is written in it, from its title on.
    await chart.evaluate((canvas) => {
      const context = canvas instanceof HTMLCanvasElement ? canvas.getContext("2d") : null;
      if (context === null) return;
      const written: string[] = [];
      const fill = context.fillText.bind(context);
      context.fillText = (text, ...at) => {
        if (/ · \d\d:\d\d:/.test(text)) written.length = 0;
        written.push(text);
        fill(text, ...at);
      };
      Object.assign(window, { written });
    });
    const tooltip = () => page.evaluate(() => ("written" in window ? (window.written as string[]) : []));
    const values = async () => {
      const rows = await card.getByRole("table", { name: "Lines" }).locator("tbody tr").all();
      const texts = await Promise.all(rows.map((row) => row.locator("th, td").allTextContents()));
      return texts.map(([name = "", value]) => ({ name, value: Number(value) })).sort((a, b) => b.value - a.value);
    };
    const box = await chart.boundingBox();
    if (box === null) throw new Error("the chart has no place");
    for (const { across, down, nearest } of [
      { across: 0.5, down: 0.1, nearest: [0, 10] },
      { across: 0.6, down: 0.85, nearest: [14, 24] },
    ]) {
      await page.mouse.move(box.x + across * box.width, box.y + down * box.height);
      await expect.poll(tooltip).toContain("and 14 more");
      await expect
        .poll(async () => (await tooltip()).flatMap((text) => text.match(/llama-\S+/)?.[0] ?? []))
        .toEqual((await values()).slice(...nearest).map(({ name }) => name));
    }
    expect(complaints).toEqual([]);
  });
});
