import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import type { ChartQuery } from "../../src/protocol/index.js";
import { describeInChromium } from "../support/chromium.js";
import { runPage } from "../support/view-harness/run-page.js";
import type {} from "../support/view-harness/host.js";

/** Which charts the run view has, and what each can be turned into. */
await describeInChromium("charts of the run view", (executablePath) => {
  let page: Page;
  let complaints: string[];
  const { open, cards, calls, colors, complete, showCharts } = runPage(
    executablePath,
    (opened) => ({ page, complaints } = opened),
  );

  it("adds charts from tiles, the picker and the tree, and finds those that are there", async () => {
    await open("still");
    await complete();
    await page.getByRole("tab", { name: "Overview" }).click();
    await page.locator(".tile", { hasText: "Requests Succeeded" }).click();
    await expect.poll(() => cards().count()).toBe(7);
    await page.getByRole("tab", { name: "Explore", selected: true }).waitFor();
    await page.keyboard.press("Alt+ArrowLeft");
    await page.locator(".tile", { hasText: "KV Cache Usage" }).click();
    await page.locator(".chart-card.target", { hasText: "KV Cache Usage" }).waitFor();
    expect(await cards().count()).toBe(7);
    await page.getByRole("button", { name: "Add Chart" }).click();
    await page.keyboard.type("process metric 7");
    await page.keyboard.press("Enter");
    await expect.poll(() => cards().count()).toBe(8);
    await page.evaluate(() => window.harness.showInChart({ family: "http_requests" }));
    const many = cards().filter({ hasText: "showing 20 of 200 series" });
    await many.waitFor();
    expect(await many.locator(".legend-entry").count()).toBe(20);
    await many.getByRole("button", { name: /^Remove/ }).click();
    await expect.poll(() => cards().count()).toBe(8);
  });

  it("finds metrics by what practitioners call them, and draws several that are ticked in one chart", async () => {
    await open("still&scenario=saved");
    await complete();
    await page.getByRole("button", { name: "Add Chart" }).click();
    const box = page.getByRole("combobox", { name: /^Search metrics/ });
    await box.fill("ttft");
    expect(await page.getByRole("option").allTextContents()).toEqual([
      expect.stringContaining("vllm:time_to_first_token_seconds"),
    ]);
    await page.keyboard.press("Control+Enter");
    await box.fill("itl");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("button", { name: "Add as One Chart" }).click();
    const card = page.getByRole("region", {
      name: "VLLM | Time To First Token Seconds, VLLM | Inter Token Latency Seconds",
    });
    await expect.poll(() => card.locator(".legend-group").count()).toBe(4);
    await expect
      .poll(async () => JSON.stringify((await calls("saveLayout")).at(-1)))
      .toContain('"also":["vllm:inter_token_latency_seconds"]');
    await page.reload();
    await expect.poll(() => card.locator(".legend-group").count()).toBe(4);
    expect(complaints).toEqual([]);
  });

  it("marks level changes and outliers, describes them in words, zooms to them and leaves them out on demand", async () => {
    await open("still&scenario=saved&changes");
    await complete();
    const card = cards().first();
    const marked = card.locator(".changes");
    await expect.poll(() => marked.locator("summary").textContent()).toBe(" 1 level change 1 outlier");
    const canvas = card.locator("canvas").first();
    const picture = () => canvas.evaluate((element) => (element as HTMLCanvasElement).toDataURL());
    const withMarks = await picture();
    /** Pixels of a colour beneath the time axis, whose own text is grey. */
    const colored = () =>
      canvas.evaluate((element) => {
        if (!(element instanceof HTMLCanvasElement)) throw new Error("not a canvas");
        const { data } = element.getContext("2d")?.getImageData(0, element.height - 12, element.width, 12) ?? {};
        return (data ?? []).filter((red, i) => i % 4 === 0 && Math.abs(red - (data?.[i + 2] ?? 0)) > 60).length;
      });
    expect(await colored(), "marks in the lane beneath the axis").toBeGreaterThan(20);
    await marked.locator("summary").focus();
    await page.keyboard.press("Enter");
    const [level, outlier] = await marked.getByRole("button").allTextContents();
    expect(level).toMatch(/^Level change: .*from .* to .* requests at /);
    expect(outlier).toMatch(/^Outlier: .* requests at .* around it$/);
    await marked.getByRole("button").first().press("Enter");
    await expect
      .poll(async () => ((await calls("chart")) as ChartQuery[]).some((query) => query.from !== undefined))
      .toBe(true);
    await page.getByRole("button", { name: "Reset Zoom" }).click();
    await card.getByRole("button", { name: /^Actions for/ }).click();
    await page.getByRole("menuitem", { name: "Hide Level Changes and Outliers" }).click();
    await expect.poll(() => page.locator(".changes").count()).toBe(0);
    await expect.poll(picture).not.toBe(withMarks);
    expect(await colored()).toBe(0);
    await page.reload();
    await complete();
    expect(await page.locator(".changes").count()).toBe(0);
    await card.getByRole("button", { name: /^Actions for/ }).click();
    await page.getByRole("menuitem", { name: "Show Level Changes and Outliers" }).click();
    await expect.poll(() => marked.count()).toBe(1);
  });

  it("shows a family by rank, by share and by position, and remembers how", async () => {
    await open("still&scenario=saved");
    await complete();
    for (const family of ["http_requests", "vllm:spec_decode_num_accepted_tokens_per_pos"])
      await page.evaluate((name) => window.harness.showInChart({ family: name }), family);
    const ranked = cards().filter({ hasText: "HTTP Requests" });
    await ranked.getByRole("button", { name: /^top 10/ }).click();
    await expect.poll(() => ranked.getByRole("row").count()).toBe(11);
    expect(await calls("ranking")).toEqual([{ family: "http_requests", count: 10 }]);
    await ranked.getByRole("button", { name: "Show as Lines" }).click();
    await ranked.getByText("showing 10 of 200 series").waitFor();
    expect(((await calls("chart")) as ChartQuery[]).at(-1)?.series).toHaveLength(10);

    const balance = cards().filter({ hasText: "Generation Tokens" });
    await balance.getByRole("radio", { name: "Shares" }).click();
    await balance.getByText("busiest endpoint carries 1.25× the average, variation 24.8 %").waitFor();
    expect(await balance.getByRole("row").allTextContents()).toEqual([
      "endpointsharetokenstokens/s",
      "10.0.0.11:8000 · prefill37.6 %41.3 k299",
      "10.0.0.12:8000 · decode62.4 %68.4 k496",
    ]);

    const vector = cards()
      .filter({ hasText: "Accepted Tokens" })
      .filter({ has: page.getByRole("radio", { name: "Positions" }) });
    await vector.getByRole("radio", { name: "Positions" }).click();
    await expect.poll(() => vector.locator(".position-bar").count()).toBe(8);
    await vector.locator(".position-bar").nth(0).focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toMatch(
      /^position 1, .* tokens\/s, 72 % of position 0$/,
    );
    await page.waitForFunction(() =>
      [...document.querySelectorAll<HTMLCanvasElement>(".heatmap canvas")].some((canvas) => canvas.width > 0),
    );
    await expect.poll(async () => JSON.stringify((await calls("saveLayout")).at(-1))).toContain('"mode":"vector"');
    await page.reload();
    await balance.getByText("busiest endpoint carries 1.25× the average").waitFor();
    expect(complaints).toEqual([]);
  });

  it("shows a saved run's histogram as heatmap and distribution, and changes slices and window", async () => {
    await open("still&scenario=saved");
    await complete();
    const card = page.getByRole("region", { name: "VLLM | Time To First Token Seconds" });
    await card.getByRole("radio", { name: "Lines" }).focus();
    await page.keyboard.press("ArrowRight");
    const heatmap = card.getByRole("img", { name: /^Heatmap of 8 buckets over 40 stretches of time/ });
    await expect.poll(async () => (await colors(heatmap)).length).toBe(4);
    await card.getByRole("group", { name: /^Heatmap of/ }).focus();
    const hint = card.locator(".hint");
    const said = new Set<string | null>();
    for (const key of ["ArrowLeft", "ArrowUp", "ArrowUp"]) {
      await page.keyboard.press(key);
      await hint.getByText("observations/s").waitFor();
      said.add(await hint.textContent());
    }
    expect(said.size).toBe(3);
    // From the last column into those without a scrape.
    for (let i = 0; i < 11; i++) await page.keyboard.press("ArrowLeft");
    await hint.getByText("No scrape answered").waitFor();
    await card.getByText("hatched: no scrape").waitFor();
    const box = await heatmap.boundingBox();
    if (box === null) throw new Error("the heatmap has no place");
    await page.mouse.move(box.x + 150, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + 250, box.y + 60, { steps: 4 });
    await page.mouse.up();
    await expect
      .poll(async () => ((await calls("heatmap")) as { from?: number }[]).some(({ from }) => from !== undefined))
      .toBe(true);
    await expect
      .poll(async () => ((await calls("chart")) as ChartQuery[]).some(({ from }) => from !== undefined))
      .toBe(true);
    await page.getByRole("button", { name: "Reset Zoom" }).click();
    await card.getByRole("radio", { name: "Heatmap" }).focus();
    await page.keyboard.press("ArrowRight");
    await card.getByText("≥ 10 s").waitFor();
    expect(await card.getByRole("listitem").count()).toBe(8);
    await card.getByRole("listitem", { name: "500 ms – 1 s, 420 observations" }).hover();
    await hint.getByText("25.4 %").waitFor();
    await expect
      .poll(async () => JSON.stringify((await calls("saveLayout")).at(-1)))
      .toContain('"mode":"distribution"');

    const asked = (await calls("distribution")).length;
    const slices = page.getByRole("textbox", { name: "Slice:" }).or(page.getByRole("combobox", { name: "Slice:" }));
    await slices.fill("0.01");
    await slices.press("Enter");
    await page
      .getByRole("alert")
      .getByText("a slice of 0.01 s is shorter than a scrape. Choose 0.1 s or more.")
      .waitFor();
    await slices.fill("10");
    await slices.press("Enter");
    // Cards out of sight wait until they are seen.
    await card.scrollIntoViewIfNeeded();
    await expect.poll(async () => (await calls("distribution")).length).toBe(asked + 1);
    expect(await page.getByRole("alert").filter({ hasText: "shorter" }).count()).toBe(0);

    await page.getByRole("button", { name: "Zoom in" }).click();
    await page.getByRole("button", { name: "Use Zoom as Window" }).click();
    await page.getByText("Window: 0:07.5 to 1:22.5").or(page.getByText("Window: 0:08 to 1:23")).waitFor();
    await page.getByRole("button", { name: "Go back to the recorded window" }).click();
    await page.getByText("Window: without warm-up").waitFor();
    const [, , chosen, back] = await calls("adjust");
    expect([chosen, back]).toEqual([{ window: { start: 37.5e9, end: 112.5e9 } }, { window: "recorded" }]);
    await page.getByLabel("Show the run, or one of its files alone").click();
    await page.getByRole("option", { name: "Parquet export alone" }).click();
    await expect.poll(() => calls("showFile")).toEqual([{ path: "/data/sweep/server_metrics_export.parquet" }]);
    expect(complaints).toEqual([]);
  });

  it("draws a chart as large as the view, by logarithm, and copies its data", async () => {
    await open("still&scenario=saved");
    await complete();
    const title = "VLLM | Time To First Token Seconds";
    const card = page.getByRole("region", { name: title });
    const height = async () => (await card.locator(".chart-canvas").boundingBox())?.height ?? NaN;
    const before = await height();
    await card.getByRole("button", { name: `Maximise ${title}` }).click();
    await expect.poll(height).toBeGreaterThan(2 * before);
    await page.keyboard.press("Escape");
    await expect.poll(height).toBe(before);
    const picture = () =>
      card.locator(".chart-canvas > canvas").evaluate((element) => (element as HTMLCanvasElement).toDataURL());
    const linear = await picture();
    const pick = async (item: string) => {
      await card.getByRole("button", { name: /^Actions for/ }).click();
      await page.getByRole("menuitem", { name: item }).click();
    };
    await pick("Logarithmic Scale");
    await expect.poll(picture).not.toBe(linear);
    await expect.poll(async () => JSON.stringify((await calls("saveLayout")).at(-1))).toContain('"scale":"log"');
    await pick("Linear Scale");
    await expect.poll(picture).toBe(linear);
    await pick("Copy Data");
    await expect.poll(async () => (await calls("copy")).length).toBe(1);
    const [copied] = (await calls("copy")) as { text: string }[];
    expect(copied?.text.split("\r\n")[0]).toBe("seconds,endpoint,metric,labels,quantity,value,unit");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await pick("Copy Picture");
    await expect
      .poll(() => page.evaluate(async () => (await navigator.clipboard.read()).flatMap((item) => item.types).join()))
      .toBe("image/png");
    expect(complaints).toEqual([]);
  });

  it("moves no box that cuts off where digits change, for then the browser arranges the whole page anew", async () => {
    await open("still");
    await complete();
    await showCharts();
    const boxes = () =>
      page.evaluate(() =>
        [...document.querySelectorAll("body *")]
          .filter((one) => one.checkVisibility() && getComputedStyle(one).overflowX !== "visible")
          .map((one) => {
            const { x, y, width, height } = one.getBoundingClientRect();
            return `${one.tagName} ${one.getAttribute("class") ?? ""} ${[x, y, width, height].join(" ")}`;
          }),
      );
    const texts = (selector: string) => page.locator(selector).allTextContents();
    const chart = cards().first().locator(".chart-canvas");
    await chart.locator("canvas").waitFor();
    const before = await boxes();
    const steps = [
      [".figure", () => page.evaluate(() => window.harness.progress())],
      [".legend-value", () => chart.press("Shift+ArrowRight")],
    ] as const;
    for (const [selector, change] of steps)
      for (let i = 0; i < 12; i++) {
        const shown = await texts(selector);
        await change();
        await expect.poll(() => texts(selector)).not.toEqual(shown);
        expect(await boxes()).toEqual(before);
      }
  });
});
