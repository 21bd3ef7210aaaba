import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInChromium } from "../support/chromium.js";
import { viewPages } from "../support/view-harness/pages.js";
import { runPage } from "../support/view-harness/run-page.js";

const WIDTHS = [700, 1280, 1600];
const HEIGHT = 800;
const THEMES = ["dark", "light", "hc", "hc-light"] as const;
/** A user of the keyboard reaches the tabs within so many stops. */
const MOST_STOPS = 25;
const LIVE_SECONDS = 20;
const MOST_SHIFT = 0.01;

const RUNS = [
  ["the live view of one endpoint", "?endpoints=1"],
  ["the live view of five endpoints", "?endpoints=5"],
  ["the live view of fifty endpoints", "?endpoints=50"],
  ["a saved run", "?scenario=saved"],
] as const;
const COMPARISONS = [
  ["a comparison of two runs", "comparison?scenario=two"],
  ["a comparison of six runs", "comparison?scenario=sweep6"],
] as const;

/** What a user sees without scrolling, however wide the view is, in any theme and however many servers there are. */
await describeInChromium("the first screen", (executablePath) => {
  const pages = viewPages(executablePath);

  const isComparison = (path: string) => path.startsWith("comparison");
  /** Until all of it is there that a page begins with. */
  const begun = async (page: Page, path: string) => {
    await page
      .locator(isComparison(path) ? ".differences .grid-body [role=gridcell]" : ".finding")
      .first()
      .waitFor();
    if (!isComparison(path)) await page.locator(".chart-canvas canvas").nth(4).waitFor();
  };
  /** Sums up the layout shifts of the page from now on. */
  const watchShifts = (page: Page) =>
    page.evaluate(() => {
      window.shifted = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          if ("value" in entry && typeof entry.value === "number") window.shifted += entry.value;
      }).observe({ type: "layout-shift" });
    });
  const bottomOf = async (page: Page, selector: string, nth = 0) => {
    const box = await page.locator(selector).nth(nth).boundingBox();
    return (box?.y ?? Infinity) + (box?.height ?? 0);
  };
  /** From the page's beginning, as one who comes to it. */
  const stopsToTabs = async (page: Page) => {
    await page.evaluate(() => {
      document.body.tabIndex = -1;
      document.body.focus();
    });
    let stops = 0;
    const reached = () => page.evaluate(() => document.activeElement?.getAttribute("role") === "tab");
    do await page.keyboard.press("Tab");
    while (++stops <= MOST_STOPS && !(await reached()));
    return stops;
  };

  it.each([...RUNS, ...COMPARISONS])("answers and has the tabs a few stops away, in %s", async (_, path) => {
    // Each width is opened as a page of its own, in a theme of its own: what follows from a theme has no width.
    await Promise.all(
      WIDTHS.map(async (width, i) => {
        const { page, complaints } = await pages.open(`${path}&still`, { width, height: HEIGHT });
        await begun(page, path);
        for (const theme of [THEMES[i], ...(width === 1280 ? THEMES : [])]) {
          await page.evaluate((name) => window.setTheme(name ?? "dark"), theme);
          const at = `${theme} at ${width} pixels`;
          // A comparison begins with its rows; each has its interval on the axis of its column.
          const bottom = () =>
            isComparison(path)
              ? bottomOf(page, ".differences .grid-body .grid-row", 2)
              : bottomOf(page, ".chart-canvas");
          await expect.poll(bottom, { message: `the answer, ${at}`, timeout: 5000 }).toBeLessThanOrEqual(HEIGHT);
          expect(
            await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth),
            `all of the width, ${at}`,
          ).toBe(true);
        }
        expect(await stopsToTabs(page), `stops at ${width} pixels`).toBeLessThanOrEqual(MOST_STOPS);
        if (isComparison(path)) {
          await page.getByRole("tab", { name: "Charts" }).click();
          await page.locator(".compared-card canvas").first().waitFor();
          await expect
            .poll(() => bottomOf(page, ".compared-card canvas"), {
              message: `the first chart at ${width} pixels`,
              timeout: 5000,
            })
            .toBeLessThanOrEqual(HEIGHT);
        }
        expect(complaints).toEqual([]);
      }),
    );
  });

  it("stands still while captures of one and of many endpoints go on, at any width", async () => {
    const watched = RUNS.flatMap(([name, path]) => WIDTHS.map((width, i) => ({ name, path, width, theme: THEMES[i] })));
    // One after another is opened, and all are watched at once.
    const opened = [];
    for (const { name, path, width, theme } of watched) {
      const { page } = await pages.open(`${path}&theme=${theme}&every=333&seconds=150`, { width, height: HEIGHT });
      await begun(page, path);
      await watchShifts(page);
      opened.push({ page, message: `${name} at ${width} pixels`, isLive: !path.includes("saved") });
    }
    const scrapesOf = async (page: Page) =>
      Number(((await page.locator(".figure").nth(1).textContent()) ?? "").replace(/\D/g, ""));
    const going = opened.filter(({ isLive }) => isLive);
    await Promise.all(
      going.map(async ({ page, message }) => {
        const first = await scrapesOf(page);
        await expect
          .poll(() => scrapesOf(page), { message, timeout: 60_000 })
          .toBeGreaterThan(first + 6 * LIVE_SECONDS);
      }),
    );
    for (const { page, message } of opened)
      expect(await page.evaluate(() => window.shifted), message).toBeLessThanOrEqual(MOST_SHIFT);
  });

  let page: Page;
  let complaints: string[];
  const { open, calls, complete } = runPage(executablePath, (opened) => ({ page, complaints } = opened));

  it("leads from a finding to its chart, outlined, with its limit, and back to where it was", async () => {
    await open("still&scenario=saved");
    await complete("Overview");
    await page.setViewportSize({ width: 1280, height: 500 });
    await page.evaluate(() => window.scrollTo({ top: 60 }));
    const asked = (await calls("chart")).length;
    await page.getByRole("button", { name: "The KV cache is the limit." }).click();
    const target = page.locator(".chart-card.target");
    await target.filter({ hasText: "KV Cache Usage" }).locator("canvas").waitFor();
    expect(await target.count()).toBe(1);
    await expect.poll(async () => JSON.stringify((await calls("chart")).slice(asked))).toContain('"from"');
    // The limit is a line from end to end in the theme's colour of errors.
    const limit = () =>
      target
        .locator("canvas")
        .first()
        .evaluate((element) => {
          if (!(element instanceof HTMLCanvasElement)) throw new Error("not a canvas");
          const { data = [] } = element.getContext("2d")?.getImageData(0, 0, element.width, element.height) ?? {};
          const isError = (i: number) =>
            (data[i] ?? 0) > 200 && (data[i + 1] ?? 255) < 110 && (data[i + 2] ?? 255) < 100;
          const rows = Array.from({ length: element.height }, (_, y) => 4 * y * element.width);
          const shares = rows.map((from) => {
            const pixels = Array.from({ length: element.width }, (_, x) => from + 4 * x);
            return pixels.filter(isError).length / element.width;
          });
          return Math.max(...shares);
        });
    await expect.poll(limit).toBeGreaterThan(0.4);
    await page.keyboard.press("Alt+ArrowLeft");
    await page.getByRole("tab", { name: "Overview", selected: true }).waitFor();
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(60);
    expect(await page.getByRole("button", { name: "Reset Zoom" }).getAttribute("disabled")).not.toBe(null);
    expect(await page.getByRole("button", { name: "Back" }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("leads from a row and from a slice to its chart at that time, by pointer and by keyboard", async () => {
    await open("still&scenario=saved");
    await page.getByRole("tab", { name: "Timeslices" }).click();
    const slices = page.getByRole("grid", { name: "Key metrics by slice" });
    await slices.locator("[data-at='1'] [data-column='1']").focus();
    await page.keyboard.press("Enter");
    await page.locator(".chart-card.target", { hasText: "Time To First Token" }).locator("canvas").waitFor();
    const asked = async () => JSON.stringify((await calls("chart")).at(-1));
    await expect.poll(asked).toContain('"from":35000000000,"to":40000000000');
    await page.keyboard.press("Alt+ArrowLeft");
    await slices.waitFor();
    await page.getByRole("tab", { name: "Statistics" }).click();
    await page.locator(".data-table .grid-body .grid-row [role=gridcell]").nth(2).click();
    await page.locator(".chart-card.target canvas").waitFor();
    expect(complaints).toEqual([]);
  });

  it("keeps its filter and its endpoint from tab to tab", async () => {
    await open("still&scenario=saved");
    await complete("Overview");
    await page.getByRole("searchbox", { name: "Filter metrics and rows" }).fill("first_token");
    await expect.poll(() => page.locator(".chart-card").count()).toBe(1);
    await expect.poll(() => page.locator(".tile").count()).toBe(1);
    await page.getByRole("tab", { name: "Statistics" }).click();
    await page.getByText("2 of 4 rows").waitFor();
    await page.getByRole("combobox", { name: "Endpoints shown" }).click();
    await page.getByRole("option", { name: "decode" }).click();
    await page.getByText("1 of 2 rows").waitFor();
    await page.getByRole("tab", { name: "Explore" }).click();
    await expect.poll(() => page.locator(".chart-card").count()).toBe(1);
    await page.getByRole("tab", { name: "Servers" }).click();
    await expect.poll(() => page.locator(".panel").count()).toBe(1);
  });

  it("has a line for all metrics at zero, and for those without values", async () => {
    await open("still");
    await complete("Overview");
    const quiet = page.getByRole("region", { name: "Key metrics of vLLM" }).locator("summary");
    expect(await quiet.textContent()).toBe("1 metric at 0, 1 without values Preemptions · Draft Acceptance");
  });
});

declare global {
  interface Window {
    /** Sum of the layout shifts since the observation began. */
    shifted: number;
  }
}
