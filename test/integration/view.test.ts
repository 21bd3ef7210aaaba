import type { Locator, Page } from "playwright-core";
import { expect, it } from "vitest";
import type { ChartQuery } from "../../src/protocol/index.js";
import { describeInChromium } from "../support/chromium.js";
import { rowsDrawnByFiltering } from "../support/view-harness/filtering.js";
import { viewPages } from "../support/view-harness/pages.js";
import type {} from "../support/view-harness/host.js";

/**
 * The view's real bundle in a real browser, under the extension's content security policy, answered by a host made for
 * looking at it.
 */
await describeInChromium("the run view", (executablePath) => {
  const pages = viewPages(executablePath);
  let page: Page;
  let complaints: string[];

  async function open(query: string): Promise<void> {
    ({ page, complaints } = await pages.open(`?${query}`));
  }

  const cards = (): Locator => page.locator(".chart-card");
  const calls = (name: string) =>
    page.evaluate(
      (wanted) => window.harness.calls.filter((call) => call.name === wanted).map((call) => call.params),
      name,
    );

  /** A canvas' most frequent colours, by which its looks can be compared. */
  const colors = (canvas: Locator) =>
    canvas.evaluate((element) => {
      if (!(element instanceof HTMLCanvasElement)) throw new Error("not a canvas");
      const data = element.getContext("2d")?.getImageData(0, 0, element.width, element.height).data ?? [];
      const counts = new Map<string, number>();
      for (let i = 0; i < data.length; i += 4) {
        if ((data[i + 3] ?? 0) > 200)
          counts.set(
            `${data[i]},${data[i + 1]},${data[i + 2]}`,
            (counts.get(`${data[i]},${data[i + 1]},${data[i + 2]}`) ?? 0) + 1,
          );
      }
      return [...counts]
        .sort((a, b) => b[1] - a[1])
        .slice(0, 4)
        .map(([color]) => color);
    });

  /** Until header, tiles and every chart on the page are drawn. */
  async function complete(): Promise<void> {
    await page.waitForFunction(() => {
      const canvases = [...document.querySelectorAll<HTMLCanvasElement>(".chart-canvas canvas")];
      const drawn = (canvas: HTMLCanvasElement) =>
        canvas.width > 0 &&
        canvas
          .getContext("2d")
          ?.getImageData(0, 0, canvas.width, canvas.height)
          .data.some((value) => value !== 0) === true;
      return document.querySelectorAll(".tile").length >= 9 && canvases.length >= 6 && canvases.every(drawn);
    });
  }

  /** What is moved over has to be in sight: findings and dashboards come before the charts. */
  const showCharts = () => page.locator(".charts").evaluate((charts) => charts.scrollIntoView());

  it("is complete again when it is created anew, with one question for each thing", async () => {
    await open("still");
    await complete();
    await page.reload();
    await complete();
    expect(await calls("snapshot")).toHaveLength(1);
    const charted = (await calls("chart")) as ChartQuery[];
    expect(new Set(charted.map((query) => query.family)).size).toBe(charted.length);
    expect(charted.every((query) => query.maxPoints <= 2000)).toBe(true);
    expect(complaints).toEqual([]);
  });

  it("shows no endpoint's figures of a part of a file that is still being read", async () => {
    await open("still&scenario=reading");
    await page.getByText("Endpoints and panels follow when the file has been read.").first().waitFor();
    await complete();
    expect([...(await calls("instances")), ...(await calls("dashboard"))]).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("follows the run's progress", async () => {
    await open("still");
    await complete();
    const canvas = page.locator(".chart-canvas canvas").first();
    const look = () => canvas.evaluate((element) => (element instanceof HTMLCanvasElement ? element.toDataURL() : ""));
    const before = await look();
    await page.evaluate(() => window.harness.progress());
    await expect.poll(look).not.toBe(before);
    expect(await page.locator(".figure").first().textContent()).toBe("2:31elapsed");
  });

  it.each(["dark", "light", "hc"] as const)(
    "is drawn in the theme %s without a complaint, and again when it changes",
    async (theme) => {
      await open(`still&theme=${theme}`);
      await complete();
      const canvas = page.locator(".chart-canvas canvas").first();
      const before = await colors(canvas);
      expect(before.length).toBeGreaterThan(2);
      await page.evaluate((name) => window.harness.setTheme(name === "light" ? "dark" : "light"), theme);
      await expect.poll(async () => (await colors(canvas)).join(" ")).not.toBe(before.join(" "));
      expect(complaints).toEqual([]);
    },
  );

  it("adds charts from tiles, the picker and the tree, and finds those that are there", async () => {
    await open("still");
    await complete();
    await page.getByRole("tab", { name: "Statistics" }).click();
    await page.locator(".tile", { hasText: "Requests Succeeded" }).click();
    await expect.poll(() => cards().count()).toBe(7);
    await page.locator(".tile", { hasText: "KV Cache Usage" }).click();
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

  it("finds metrics, labels and descriptions by one search, without a key lost, and goes there", async () => {
    await open("still");
    await complete();
    await page.keyboard.press("Control+f");
    await page.keyboard.type("cuda:2345");
    await page.getByRole("option", { name: /^device=cuda:2345/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("2 of 5,000 rows").waitFor();
    expect(await page.getByRole("tab", { name: "Statistics" }).getAttribute("aria-selected")).toBe("true");

    await page.keyboard.press("Control+f");
    await page.keyboard.type("success");
    await page.keyboard.press("Enter");
    await page.getByText("8 rows").waitFor();
    await page.getByRole("tab", { name: "Charts" }).click();
    await page.keyboard.press("Control+f");
    await page.keyboard.type("synthetic process metric 7");
    await page.getByText("Descriptions").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: /^Process Metric 7/ }).waitFor();
    expect(await calls("labels")).toHaveLength(1);
  });

  it("pins from chart, row and list, by pointer and by keyboard, and has what is pinned first when it is created anew", async () => {
    await open("still");
    await complete();
    await page.getByRole("button", { name: "Pin VLLM | KV Cache Usage Perc" }).click();
    await page.getByRole("tab", { name: "Statistics" }).click();
    await page
      .getByRole("button", { name: /^Actions for/ })
      .first()
      .waitFor();
    expect(await page.locator(".data-table .grid-body .grid-row").first().textContent()).toContain(
      "KV Cache Usage Perc",
    );
    await page.locator(".data-table .grid-body [role=gridcell][tabindex='0']").focus();
    for (const key of ["ArrowDown", "ArrowDown", "Shift+F10"]) await page.keyboard.press(key);
    await page.getByRole("menuitem", { name: "Pin", exact: true }).waitFor();
    for (const key of ["ArrowDown", "Enter"]) await page.keyboard.press(key);
    await expect
      .poll(() =>
        page
          .locator(".data-table .grid-body .grid-row")
          .filter({ has: page.getByRole("img", { name: "Pinned" }) })
          .count(),
      )
      .toBe(4);
    await page.keyboard.press("Control+f");
    await page.keyboard.type("preemptions");
    await page.keyboard.press("Shift+F10");
    await page.getByRole("menuitem", { name: "Pin", exact: true }).click();
    await page.getByRole("columnheader", { name: "max", exact: true }).getByRole("button").click();
    await expect
      .poll(async () => JSON.stringify((await calls("saveLayout")).at(-1)))
      .toContain('"sorting":{"key":"max","descending":true}');
    await page.reload();
    await page.getByRole("columnheader", { name: "max" }).and(page.locator("[aria-sort=descending]")).waitFor();
    await page.getByRole("tab", { name: "Charts" }).click();
    await expect
      .poll(async () => (await page.locator(".card-title").allTextContents()).slice(0, 3))
      .toEqual(["VLLM | KV Cache Usage Perc", "VLLM | Num Requests Running", "VLLM | Num Preemptions"]);
    expect(complaints).toEqual([]);
  });

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

  it("says the whole name of a chart, however narrow its column is", async () => {
    await open("still&scenario=saved");
    await complete();
    await page.setViewportSize({ width: 330, height: 900 });
    const title = page.getByRole("heading", { name: "VLLM | Time To First Token Seconds", exact: true });
    const cut = (element: Element) => element.scrollWidth > element.clientWidth;
    await expect.poll(() => title.evaluate(cut)).toBe(false);
    expect((await title.boundingBox())?.height).toBeGreaterThan(15);
  });

  it("says what every metric is now while a capture runs, and nothing of it afterwards", async () => {
    await open("still");
    await complete();
    expect(await page.locator(".tile-now").count()).toBe(8);
    await page.close();
    await open("still&scenario=saved");
    await complete();
    expect(await page.locator(".tile-now").count()).toBe(0);
    await page.getByText("profiled").waitFor();
    await page.getByText("unreachable at the end").waitFor();
    expect(await page.getByText("up", { exact: true }).count()).toBe(0);
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
    await page.reload();
    await complete();
    expect(await page.locator(".changes").count()).toBe(0);
    await card.getByRole("button", { name: /^Actions for/ }).click();
    await page.getByRole("menuitem", { name: "Show Level Changes and Outliers" }).click();
    await expect.poll(() => marked.count()).toBe(1);
  });

  it("stays narrowed and folded when it is created anew", async () => {
    await open("still&scenario=saved");
    await complete();
    const kinds = page.locator("details.dashboard");
    const all = await kinds.count();
    const instances = page.getByRole("grid", { name: /^Endpoints of/ }).first();
    await instances.locator("[data-at='0'] [data-column='1']").focus();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    const sorted = instances.getByRole("columnheader").nth(1);
    await expect.poll(() => sorted.getAttribute("aria-sort")).toBe("descending");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.locator(".narrowed").waitFor();
    // Only the endpoint's own kind of server is left.
    await expect.poll(() => kinds.count()).toBe(1);
    const title = (await kinds.getAttribute("aria-label")) ?? "";
    await kinds.locator("summary").first().click();
    await expect
      .poll(() => page.evaluate(() => Object.values(sessionStorage).join()))
      .toContain(`"dashboard ${title}":false`);
    await page.reload();
    await page.locator(".narrowed").waitFor();
    await page.getByRole("button", { name: "Show All Endpoints" }).click();
    await expect.poll(() => page.locator(".narrowed").count()).toBe(0);
    await expect.poll(() => kinds.count()).toBe(all);
    expect(await page.locator(`details.dashboard[aria-label="${title}"]`).getAttribute("open")).toBe(null);
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

  it("says what the assertions of the settings give, beside charts and in the statistics table", async () => {
    await open("still&scenario=saved&assertions");
    await complete();
    const says = (name: string) => cards().filter({ hasText: name }).locator(".assertion");
    await says("Num Requests Running").waitFor();
    expect(await says("Num Requests Running").textContent()).toBe("passed: max < 110 requests");
    expect(await says("KV Cache Usage").textContent()).toBe("failed: avg < 30 %");
    await page.getByRole("tab", { name: "Statistics" }).click();
    await expect
      .poll(() => page.locator(".table-view .assertion").allTextContents())
      .toEqual(["passed: vllm:num_requests_running max < 110 requests", "failed: vllm:kv_cache_usage_perc avg < 30 %"]);
    await page.getByRole("searchbox", { name: "Filter rows" }).fill("kv cache usage");
    await page.getByRole("img", { name: "failed: avg < 30 %" }).first().waitFor();
    expect(complaints).toEqual([]);
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

  it("filters 5,000 rows, draws only those in sight and copies what is left", async () => {
    await open("still");
    await complete();
    await page.getByRole("tab", { name: "Charts" }).focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.getByRole("tab", { name: "Statistics" }).getAttribute("aria-selected")).toBe("true");
    await page.getByText("5,054 rows").waitFor();
    expect(await page.locator(".data-table .grid-body .grid-row").count()).toBeLessThan(80);
    const drawn = await rowsDrawnByFiltering(page.getByRole("searchbox", { name: "Filter rows" }), [
      ["cuda numa=4", "624 of 5,054 rows"],
      ["cuda", "5,000 of 5,054 rows"],
      ["cuda numa=3", "626 of 5,054 rows"],
    ]);
    expect(Math.max(...drawn)).toBeLessThan(80);
    await page.getByRole("columnheader", { name: "max", exact: true }).getByRole("button").click();
    await page.getByRole("button", { name: "Copy as CSV" }).click();
    await expect.poll(() => calls("copy")).toHaveLength(1);
    const [copied] = (await calls("copy")) as { text: string }[];
    const lines = copied?.text.trim().split("\r\n") ?? [];
    expect(lines).toHaveLength(627);
    const column = lines[0]?.split(",").indexOf("max") ?? -1;
    const values = lines.slice(1).map((line) => Number(line.split(",")[column]));
    expect(values).toEqual([...values].sort((a, b) => b - a));
  });

  it("folds notes away behind one line that the keyboard opens, and no warning", async () => {
    await open("still");
    await page.getByText("Connection refused by 10.0.0.13:8081.").waitFor();
    const note = page.getByText("The summary http_request_size_bytes is left out");
    expect(await note.isVisible()).toBe(false);
    await page.getByText("2 notes").focus();
    await page.keyboard.press("Enter");
    await note.waitFor();
    expect(await note.count()).toBe(1);
  });

  it("says of estimates what is certain, to pointer and keyboard, and shows percentiles at 1000 pixels", async () => {
    await open("still");
    await page.setViewportSize({ width: 1000, height: 900 });
    await page.getByRole("tab", { name: "Statistics" }).click();
    await page.getByRole("combobox", { name: "Metrics of a type" }).click();
    await page.getByRole("option", { name: "all histograms" }).click();
    await page.getByText("Percentiles are estimates").waitFor();
    await page.getByText("common labels: engine=0, model_name=meta-llama/Llama-3.1-70B-Instruct").waitFor();
    const table = page.getByRole("grid", { name: "Statistics of all histograms" });
    for (const statistic of ["avg", "p50", "p99"]) {
      const box = await table.getByRole("columnheader", { name: statistic }).boundingBox();
      expect((box?.x ?? Infinity) + (box?.width ?? 0), `right edge of ${statistic}`).toBeLessThan(1000);
    }
    const hint = page.getByRole("tooltip");
    const estimates = table.locator(".grid-body [data-hint]");
    await estimates.nth(5).hover();
    await hint.getByText("for certain").waitFor();
    await page.mouse.move(5, 5);
    await hint.waitFor({ state: "hidden" });

    // One stop of the Tab key, then arrows.
    expect(await table.locator("[tabindex='0']").count()).toBe(1);
    await estimates.first().focus();
    const said = new Set<string>();
    for (const key of ["ArrowRight", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft"]) {
      await page.keyboard.press(key);
      await hint.getByText("linear (histogram_quantile)").waitFor();
      said.add(
        `${await page.evaluate(() => document.activeElement?.closest<HTMLElement>("[data-row]")?.dataset["row"])} ${await page.evaluate(() => document.activeElement?.getAttribute("data-column"))} ${await hint.textContent()}`,
      );
    }
    expect(said.size).toBe(5);
    await page.keyboard.press("Escape");
    await hint.waitFor({ state: "hidden" });
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
    const slices = page
      .getByRole("textbox", { name: "slices of" })
      .or(page.getByRole("combobox", { name: "slices of" }));
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
    await page.getByText("window 0:07.5 to 1:22.5").or(page.getByText("window 0:08 to 1:23")).waitFor();
    await page.getByRole("button", { name: "Go back to the recorded window" }).click();
    await page.getByText("window as recorded").waitFor();
    const [, , chosen, back] = await calls("adjust");
    expect([chosen, back]).toEqual([{ window: { start: 37.5e9, end: 112.5e9 } }, { window: "recorded" }]);
    await page.getByRole("button", { name: /^Open the Parquet export/ }).click();
    await expect.poll(() => calls("openFile")).toEqual([{ path: "/data/sweep/server_metrics_export.parquet" }]);
    expect(complaints).toEqual([]);
  });

  it("offers what helps when the run is gone, not to ask again", async () => {
    await open("still&scenario=gone");
    await page.getByText("The capture shown here ended").waitFor();
    expect(await page.getByRole("button", { name: "Retry" }).count()).toBe(0);
    await page.getByRole("button", { name: "Recover Unsaved Captures" }).click();
    await expect.poll(() => calls("captureCommand")).toEqual([{ command: "recover" }]);
    await page.getByRole("button", { name: "Start a New Capture" }).click();
    await expect.poll(() => calls("captureCommand")).toEqual([{ command: "recover" }, { command: "start" }]);
  });

  it("remembers charts and tab", async () => {
    await open("still");
    await complete();
    await page.getByRole("button", { name: "Remove the chart of VLLM | Num Requests Waiting" }).click();
    await page.getByRole("tab", { name: "Timeslices" }).click();
    await expect.poll(() => calls("saveLayout")).toHaveLength(1);
    await page.reload();
    await page.getByRole("grid", { name: "Timeslices of VLLM | Num Requests Running" }).waitFor();
    await page.getByRole("tab", { name: "Charts" }).click();
    await expect.poll(() => cards().count()).toBe(5);
  });

  it("says why a question failed and asks again on demand", async () => {
    await open("still&scenario=broken");
    const first = cards().first();
    await first.getByRole("alert").filter({ hasText: "the engine of this run does not answer" }).waitFor();
    expect(await first.textContent()).toContain("Reload the window");
    await page.evaluate(() => window.harness.failing.clear());
    await first.getByRole("button", { name: "Retry" }).click();
    await first.locator(".chart-canvas canvas").waitFor();
  });

  it("says how far a long table has been read", async () => {
    await open("still&reading=3/12");
    await page.getByRole("tab", { name: "Statistics" }).click();
    const bar = page.getByRole("progressbar", { name: "Loading statistics" });
    await page.getByText("Loading statistics… 3 of 12 metrics").waitFor();
    expect(
      await bar.evaluate((element) => (element instanceof HTMLProgressElement ? [element.value, element.max] : [])),
    ).toEqual([3, 12]);
    expect(complaints).toEqual([]);
  });

  it("says why there is nothing to see and what to do", async () => {
    await open("still&scenario=empty");
    for (const tab of ["Charts", "Statistics", "Timeslices"]) {
      await page.getByRole("tab", { name: tab }).click();
      await page.getByRole("tabpanel", { name: tab }).getByText("No endpoint has answered with metrics yet.").waitFor();
    }
    await page.getByText("answers with application/json").waitFor();
    await page.getByRole("button", { name: "Retry Now" }).click();
    expect(await calls("retryEndpoint")).toEqual([{ url: "http://10.0.0.13:8081/metrics" }]);
  });
});
