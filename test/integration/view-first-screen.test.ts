import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInChromium } from "../support/chromium.js";
import { runPage } from "../support/view-harness/run-page.js";

const WIDTHS = [700, 1280, 1600];
const HEIGHT = 800;
const ENDPOINTS = [1, 5, 50];
/** A user of the keyboard reaches the tabs within so many stops. */
const MOST_STOPS = 25;
const LIVE_SECONDS = 20;
const MOST_SHIFT = 0.01;

/** What a user sees without scrolling, however wide the view is and however many servers there are. */
await describeInChromium("the first screen", (executablePath) => {
  let page: Page;
  let complaints: string[];
  const { open, calls, complete } = runPage(executablePath, (opened) => ({ page, complaints } = opened));

  it.each(ENDPOINTS)("has a chart with its axes and the tabs a few stops away, of %i endpoints", async (endpoints) => {
    await open(`still&endpoints=${endpoints}`);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: HEIGHT });
      await complete("Overview");
      await page.locator(".finding").waitFor();
      const bottom = async () => {
        const box = await page.locator(".chart-canvas").first().boundingBox();
        return (box?.y ?? Infinity) + (box?.height ?? 0);
      };
      await expect.poll(bottom, { message: `the first chart at ${width} pixels` }).toBeLessThanOrEqual(HEIGHT);
    }
    // From the page's beginning, as one who comes to it.
    await page.evaluate(() => {
      document.body.tabIndex = -1;
      document.body.focus();
    });
    let stops = 0;
    const reached = () => page.evaluate(() => document.activeElement?.getAttribute("role") === "tab");
    do await page.keyboard.press("Tab");
    while (++stops <= MOST_STOPS && !(await reached()));
    expect(stops).toBeLessThanOrEqual(MOST_STOPS);
    expect(complaints).toEqual([]);
  });

  it("stands still while captures of one and of many endpoints go on", async () => {
    // One after another is opened, and all are watched at once.
    const watched = [];
    for (const endpoints of ENDPOINTS) {
      await open(`every=333&seconds=150&endpoints=${endpoints}`);
      const shown = page;
      await shown.setViewportSize({ width: 1280, height: HEIGHT });
      await complete("Overview");
      await shown.locator(".finding").waitFor();
      await shown.evaluate(() => {
        window.shifted = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries())
            if ("value" in entry && typeof entry.value === "number") window.shifted += entry.value;
        }).observe({ type: "layout-shift" });
      });
      const scrapes = async () =>
        Number(((await shown.locator(".figure").nth(1).textContent()) ?? "").replace(/\D/g, ""));
      watched.push({ endpoints, shown, scrapes, first: await scrapes() });
    }
    await Promise.all(
      watched.map(async ({ endpoints, shown, scrapes, first }) => {
        const message = `of ${endpoints} endpoints`;
        await expect.poll(scrapes, { message }).toBeGreaterThan(first + 6 * LIVE_SECONDS);
        expect(await shown.evaluate(() => window.shifted), message).toBeLessThanOrEqual(MOST_SHIFT);
      }),
    );
  });

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
