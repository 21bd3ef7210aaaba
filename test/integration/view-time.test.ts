import type { Locator, Page } from "playwright-core";
import { expect, it } from "vitest";
import type { ChartQuery } from "../../src/protocol/index.js";
import { describeInChromium } from "../support/chromium.js";
import { runPage } from "../support/view-harness/run-page.js";
import type {} from "../support/view-harness/host.js";

/** Zoom, crosshair, warm-up and window of the run view: what all its charts share. */
await describeInChromium("time in the run view", (executablePath) => {
  let page: Page;
  let complaints: string[];
  const { open, cards, calls, complete, showCharts } = runPage(
    executablePath,
    (opened) => ({ page, complaints } = opened),
  );

  it("zooms all charts together, asks for the stretch in detail and goes back", async () => {
    await open("still");
    await complete();
    await showCharts();
    const box = await cards().first().locator("canvas").boundingBox();
    if (box === null) throw new Error("the chart has no place");
    await page.mouse.move(box.x + 200, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + 300, box.y + 70, { steps: 4 });
    await page.mouse.up();
    const zoomed = async () => ((await calls("chart")) as ChartQuery[]).filter((query) => query.from !== undefined);
    await expect.poll(async () => new Set((await zoomed()).map((query) => query.family)).size).toBe(6);
    const stretches = new Set((await zoomed()).map(({ from, to }) => `${from} ${to}`));
    expect(stretches.size).toBe(1);
    await page.getByRole("button", { name: "Reset Zoom" }).click();
    await expect
      .poll(async () => ((await calls("chart")) as ChartQuery[]).slice(-6).every((query) => query.from === undefined))
      .toBe(true);
  });

  it("points at one time in all charts, with its values in every legend", async () => {
    await open("still&scenario=saved");
    await complete();
    const chart = cards().nth(0).locator(".chart-canvas");
    const other = cards().nth(1);
    const newest = await other.locator(".legend-value").allTextContents();
    await showCharts();
    const box = await chart.boundingBox();
    if (box === null) throw new Error("the chart has no place");
    await page.mouse.move(box.x + 200, box.y + 60);
    const lines = page.locator(".crosshair:visible");
    await expect.poll(() => lines.count()).toBe(6);
    const times = () =>
      lines.evaluateAll((all) => all.map((line) => (line instanceof HTMLElement ? line.dataset["time"] : "")));
    expect(new Set(await times()).size).toBe(1);
    expect(await other.locator(".legend-value").allTextContents()).not.toEqual(newest);
    await page.mouse.move(box.x + 200, box.y - 200);
    await expect.poll(() => lines.count()).toBe(0);
    expect(await other.locator(".legend-value").allTextContents()).toEqual(newest);
    await chart.focus();
    await page.keyboard.press("Shift+ArrowRight");
    await expect.poll(() => lines.count()).toBe(6);
    // Beside the middle: zoomed, the same time lies further from it.
    const places = () =>
      lines.evaluateAll((all) => all.map((line) => (line instanceof HTMLElement ? line.style.transform : "")));
    const unzoomed = new Set(await places());
    await page.keyboard.press("+");
    await expect.poll(async () => (await places()).filter((x) => unzoomed.has(x))).toEqual([]);
    await page.keyboard.press("Escape");
    await expect.poll(() => lines.count()).toBe(0);
  });

  it("follows a live run until it is zoomed into its past, says so, and follows again on demand", async () => {
    await open("");
    await complete();
    const toggle = page.getByRole("button", { name: /^(Live|Paused)$/ });
    expect(await toggle.textContent()).toBe("Live");
    const last = async () => ((await calls("chart")) as ChartQuery[]).at(-1);
    await page.getByRole("button", { name: "Zoom in" }).click();
    await expect.poll(() => toggle.textContent()).toBe("Paused");
    await expect.poll(async () => (await last())?.to).toBeDefined();
    const held = await last();
    await toggle.click();
    await expect.poll(() => toggle.textContent()).toBe("Live");
    await expect.poll(async () => (await last())?.to ?? 0).toBeGreaterThan(held?.to ?? NaN);
    const span = (query: ChartQuery | undefined) => ((query?.to ?? NaN) - (query?.from ?? NaN)) / 1e9;
    expect(span(await last())).toBeCloseTo(span(held), 3);
    const resumed = (await last())?.to ?? NaN;
    await page.evaluate(() => window.harness.progress());
    await expect.poll(async () => (await last())?.to ?? 0).toBeGreaterThan(resumed);
    await toggle.click();
    await expect.poll(() => toggle.textContent()).toBe("Paused");
    await page.getByRole("button", { name: "Reset Zoom" }).click();
    await expect.poll(() => toggle.textContent()).toBe("Live");
  });

  it("points at times of points, and marks one of them from the chart's own menu", async () => {
    await open("still");
    await complete();
    await showCharts();
    const chart = cards().nth(3).locator(".chart-canvas");
    const box = await chart.boundingBox();
    if (box === null) throw new Error("the chart has no place");
    await page.mouse.move(box.x + 200, box.y + 60);
    const time = () => chart.locator(".crosshair").evaluate((line) => (line as HTMLElement).dataset["time"]);
    // A histogram's points are those of its slices of 5 s.
    await expect.poll(time).toMatch(/^-?\d*[05]( s|:\d[05])$/);
    await page.mouse.click(box.x + 200, box.y + 60, { button: "right" });
    const item = page.getByRole("menuitem", { name: /^Mark Here/ });
    const said = /\((.*)\)/.exec((await item.textContent()) ?? "")?.[1];
    await item.click();
    await expect
      .poll(() => calls("captureCommand"))
      .toEqual([{ command: "addMark", time: expect.any(Number) as number }]);
    const [{ time: at }] = (await calls("captureCommand")) as [{ time: number }];
    // 30 s of warm-up come first.
    expect(said).toBe(`${at / 1e9 - 30} s`);
  });

  it("points at nothing once something lies above the charts", async () => {
    await open("still&scenario=saved");
    await complete();
    const chart = cards().nth(0).locator(".chart-canvas");
    const look = () =>
      chart.locator("canvas").evaluate((canvas) => (canvas instanceof HTMLCanvasElement ? canvas.toDataURL() : ""));
    await showCharts();
    const before = await look();
    const box = await chart.boundingBox();
    if (box === null) throw new Error("the chart has no place");
    await page.mouse.move(box.x + 200, box.y + 60);
    await page.mouse.move(box.x + 204, box.y + 60);
    await expect.poll(look).not.toBe(before);
    await page.keyboard.press("Control+f");
    await expect.poll(() => page.locator(".crosshair:visible").count()).toBe(0);
    await expect.poll(look).toBe(before);
  });

  it("is moved with Shift and a drag, and zoomed, moved and reset with keys, as far as the run goes", async () => {
    await open("still&scenario=saved");
    await complete();
    const shown = async () => ((await calls("chart")) as ChartQuery[]).at(-1);
    const seconds = async () => [(await shown())?.from ?? NaN, (await shown())?.to ?? NaN].map((ns) => ns / 1e9);
    const chart = cards().nth(0).locator(".chart-canvas");
    await chart.focus();
    await page.keyboard.press("+");
    // The run has 150 s: its middle half remains.
    await expect.poll(seconds).toEqual([37.5, 112.5]);
    await page.keyboard.press("ArrowRight");
    await expect.poll(seconds).toEqual([52.5, 127.5]);
    await showCharts();
    const box = await chart.boundingBox();
    if (box === null) throw new Error("the chart has no place");
    await page.keyboard.down("Shift");
    await page.mouse.move(box.x + 150, box.y + 80);
    await page.mouse.down();
    await page.mouse.move(box.x + 250, box.y + 80, { steps: 8 });
    await page.mouse.up();
    await page.keyboard.up("Shift");
    await expect.poll(async () => (await seconds())[0] ?? NaN).toBeLessThan(45);
    expect(await seconds().then(([from = NaN, to = NaN]) => to - from)).toBeCloseTo(75, 3);
    await chart.focus();
    for (let i = 0; i < 8; i++) await page.keyboard.press("ArrowLeft");
    await expect.poll(seconds).toEqual([0, 75]);
    await page.keyboard.press("0");
    await expect.poll(async () => (await shown())?.from).toBeUndefined();
  });

  it("moves the window and the end of the warm-up by handles, and takes back what is not let go", async () => {
    await open("still&scenario=saved");
    await complete();
    const handle = (name: string) => page.getByRole("slider", { name });
    const start = handle("Start of the window");
    const place = async (locator: Locator) => {
      const box = await locator.boundingBox();
      if (box === null) throw new Error("the handle has no place");
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    };
    await start.scrollIntoViewIfNeeded();
    const from = await place(start);
    const track = await page.locator(".strip-track").boundingBox();
    const asked = (await calls("chart")).length;
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x + 120, from.y, { steps: 5 });
    await page.locator(".strip-label").waitFor();
    await expect.poll(() => page.locator(".chart-card .crosshair:visible").count()).toBe(6);
    await page.keyboard.press("Escape");
    await page.mouse.up();
    expect(await calls("adjust")).toEqual([]);
    expect(await start.getAttribute("aria-valuenow")).toBe("0");

    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x + 120, from.y, { steps: 5 });
    await page.mouse.up();
    await expect.poll(() => calls("adjust")).toHaveLength(1);
    const [{ window: chosen }] = (await calls("adjust")) as [
      { readonly window: { readonly start: number; readonly end: number } },
    ];
    // 150 s are as long as the strip.
    expect(chosen.start / 1e9).toBeCloseTo(30 + (120 / (track?.width ?? 1)) * 150, 0);
    expect(chosen.end / 1e9).toBe(150);
    await page.locator(".adjust-chosen").waitFor();
    await expect.poll(async () => (await calls("chart")).length).toBeGreaterThan(asked);

    await handle("End of the warm-up").focus();
    for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowLeft");
    await expect.poll(async () => (await calls("adjust")).at(-1)).toEqual({ profilingStart: 27e9 });
    await handle("End of the window").focus();
    await page.keyboard.press("PageDown");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Shift+ArrowLeft");
    await page.keyboard.press("Enter");
    await expect
      .poll(async () => (await calls("adjust")).at(-1))
      .toEqual({ window: { start: chosen.start, end: 145e9 } });
    expect(await calls("adjust")).toHaveLength(3);
    expect(complaints).toEqual([]);
  });

  it("shows what a linked view shows, without sending it back, and says what this run lacks", async () => {
    await open("still&scenario=saved");
    await complete();
    await page.getByRole("button", { name: "Link with the other runs that are open" }).click();
    await page.getByRole("button", { name: "Unlink from 1 other run" }).waitFor();
    await page.evaluate(() =>
      window.harness.followLinked({
        zoom: { from: 10, to: 40 },
        charts: [
          { family: "vllm:kv_cache_usage_perc" },
          { family: "vllm:generation_tokens", mode: "shares" },
          { family: "sglang:token_usage" },
        ],
        sliceSeconds: 2,
      }),
    );
    await expect.poll(() => cards().count()).toBe(3);
    await cards().nth(2).getByText("This run has no sglang:token_usage.").waitFor();
    // 30 s of warm-up come first.
    await expect
      .poll(async () => ((await calls("chart")) as ChartQuery[]).at(-1))
      .toMatchObject({ from: 40e9, to: 70e9 });
    await expect.poll(() => calls("adjust")).toEqual([{ sliceSeconds: 2 }]);
    await page.getByRole("button", { name: "Reset Zoom" }).click();
    await expect.poll(() => calls("followLinked")).toEqual([expect.objectContaining({ zoom: null, sliceSeconds: 2 })]);
    expect(complaints).toEqual([]);
  });
});
