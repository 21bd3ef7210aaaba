import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import type { ChartQuery } from "../../src/protocol/index.js";
import { describeInChromium } from "../support/chromium.js";
import { rowsDrawnByFiltering } from "../support/view-harness/filtering.js";
import { namesAmiss, namesShown } from "../support/view-harness/names.js";
import { runPage } from "../support/view-harness/run-page.js";
import type {} from "../support/view-harness/host.js";

/**
 * The view's real bundle in a real browser, under the extension's content security policy, answered by a host made for
 * looking at it.
 */
await describeInChromium("the run view", (executablePath) => {
  let page: Page;
  let complaints: string[];
  const { open, cards, calls, colors, complete } = runPage(executablePath, (opened) => ({ page, complaints } = opened));

  /** The table of the type that has most rows. */
  const gauges = async () => {
    await page.getByRole("combobox", { name: "Metrics of a type" }).click();
    await page.getByRole("option", { name: "all gauges" }).click();
  };

  it("is complete again when it is created anew, with one question for each thing", async () => {
    await open("still");
    await complete();
    await page.reload();
    await complete();
    expect(await calls("describe")).toHaveLength(1);
    const charted = (await calls("chart")) as ChartQuery[];
    expect(new Set(charted.map((query) => query.family)).size).toBe(charted.length);
    expect(charted.every((query) => query.maxPoints <= 2000)).toBe(true);
    expect(complaints).toEqual([]);
  });

  it("shows no endpoint's figures of a part of a file that is still being read", async () => {
    await open("still&scenario=reading");
    await page.getByRole("tab", { name: "Servers" }).click();
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
      await page.evaluate((name) => window.setTheme(name === "light" ? "dark" : "light"), theme);
      await expect.poll(async () => (await colors(canvas)).join(" ")).not.toBe(before.join(" "));
      expect(complaints).toEqual([]);
    },
  );

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
    await page.getByRole("tab", { name: "Explore" }).click();
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
    await gauges();
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
    await page.getByRole("tab", { name: "Explore" }).click();
    await expect
      .poll(async () => (await page.locator(".card-title").allTextContents()).slice(0, 3))
      .toEqual(["VLLM | KV Cache Usage Perc", "VLLM | Num Requests Running", "VLLM | Num Preemptions"]);
    expect(complaints).toEqual([]);
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
    await complete("Overview");
    expect(await page.locator(".tile-now").count()).toBe(8);
    await page.close();
    await open("still&scenario=saved");
    await complete("Overview");
    expect(await page.locator(".tile-now").count()).toBe(0);
    await page.getByText("profiled").waitFor();
    await page.getByText("unreachable at the end").waitFor();
    expect(await page.getByText("up", { exact: true }).count()).toBe(0);
  });

  it("stays narrowed and folded when it is created anew", async () => {
    await open("still&scenario=saved");
    await page.getByRole("tab", { name: "Servers" }).click();
    const shown = page.getByRole("combobox", { name: "Endpoints shown" });
    const kinds = page.locator("details.dashboard");
    await kinds.first().waitFor();
    const all = await kinds.count();
    const instances = page.getByRole("grid", { name: /^Endpoints of/ }).first();
    await instances.locator("[data-at='0'] [data-column='1']").focus();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    const sorted = instances.getByRole("columnheader").nth(1);
    await expect.poll(() => sorted.getAttribute("aria-sort")).toBe("descending");
    // A number leads to its chart, the endpoint's name narrows the view.
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Enter");
    await expect.poll(() => shown.textContent()).toContain("decode");
    // Only the endpoint's own kind of server is left.
    await expect.poll(() => kinds.count()).toBe(1);
    const title = (await kinds.getAttribute("aria-label")) ?? "";
    await kinds.locator("summary").first().click();
    await expect
      .poll(() => page.evaluate(() => Object.values(sessionStorage).join()))
      .toContain(`"servers ${title}":false`);
    await page.reload();
    await shown.click();
    await page.getByRole("option", { name: "All 3 endpoints" }).click();
    await expect.poll(() => kinds.count()).toBe(all);
    expect(await page.locator(`details.dashboard[aria-label="${title}"]`).getAttribute("open")).toBe(null);
  });

  it("says what the assertions of the settings give, beside charts and in the statistics table", async () => {
    await open("still&scenario=saved&assertions");
    await complete();
    const says = (name: string) => cards().filter({ hasText: name }).locator(".assertion");
    await says("Num Requests Running").waitFor();
    expect(await says("Num Requests Running").textContent()).toBe("passed: max < 110 requests");
    expect(await says("KV Cache Usage").textContent()).toBe("failed: avg < 30 %");
    await page.getByRole("tab", { name: "Statistics" }).click();
    await gauges();
    await expect
      .poll(() => page.locator(".table-view .assertion").allTextContents())
      .toEqual(["passed: vllm:num_requests_running max < 110 requests", "failed: vllm:kv_cache_usage_perc avg < 30 %"]);
    await page.getByRole("searchbox", { name: "Filter metrics and rows" }).fill("kv cache usage");
    await page.getByRole("img", { name: "failed: avg < 30 %" }).first().waitFor();
    expect(complaints).toEqual([]);
  });

  it("filters 5,000 rows, draws only those in sight and copies what is left", async () => {
    await open("still");
    await complete();
    await page.getByRole("tab", { name: "Explore" }).focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.getByRole("tab", { name: "Statistics" }).getAttribute("aria-selected")).toBe("true");
    await gauges();
    await page.getByText("5,054 rows").waitFor();
    expect(await page.locator(".data-table .grid-body .grid-row").count()).toBeLessThan(80);
    const drawn = await rowsDrawnByFiltering(page.getByRole("searchbox", { name: "Filter metrics and rows" }), [
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

  it("shortens names so that no two rows read alike and nothing stands beside an ellipsis, however wide the columns", async () => {
    await open("still");
    await page.getByRole("tab", { name: "Statistics" }).click();
    await gauges();
    await page.getByRole("searchbox", { name: "Filter metrics and rows" }).fill("cuda");
    await page.getByText("5,000 of 5,054 rows").waitFor();
    const labels = page.getByRole("columnheader", { name: "Labels" });
    const seen = new Set<string>();
    for (const narrower of [0, 3, 1]) {
      for (let i = 0; i < narrower; i++) {
        const before = (await labels.boundingBox())?.width;
        await labels.getByRole("button").focus();
        await page.keyboard.press("Shift+ArrowLeft");
        await expect.poll(async () => (await labels.boundingBox())?.width).not.toBe(before);
      }
      for (const top of [0, 60_000]) {
        await page
          .locator(".data-table .grid-scroller")
          .evaluate((scroller, to) => scroller.scrollTo({ top: to }), top);
        // Rows come a moment after the scrolling.
        await expect.poll(async () => seen.has(await namesShown(page))).toBe(false);
        await expect.poll(() => namesAmiss(page)).toEqual([]);
        seen.add(await namesShown(page));
      }
    }
    expect(seen.size).toBe(6);
    // What is copied, searched and read aloud is the whole name.
    expect(await page.locator(".data-table .grid-body .grid-row").first().textContent()).toMatch(
      /device=cuda:\d+, numa=\d/,
    );
    expect(complaints).toEqual([]);
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
    await page.getByText("Percentiles are estimates").waitFor();
    await page.getByText("common labels: engine=0, model_name=meta-llama/Llama-3.1-70B-Instruct").waitFor();
    const table = page.getByRole("grid", { name: "Statistics of latencies" });
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
    await page.getByRole("tab", { name: "Explore" }).click();
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
    for (const tab of ["Overview", "Explore", "Statistics", "Timeslices"]) {
      await page.getByRole("tab", { name: tab }).click();
      await page.getByRole("tabpanel", { name: tab }).getByText("No endpoint has answered with metrics yet.").waitFor();
    }
    await page.getByText("answers with application/json").waitFor();
    const failing = page.locator(".endpoint").filter({ hasText: "10.0.0.13:8081" });
    expect(await failing.locator("vscode-button").allTextContents()).toEqual([
      "Retry Now",
      "Set Headers…",
      "Edit URL…",
      "Remove",
    ]);
    await failing.getByRole("button", { name: "Retry Now" }).click();
    expect(await calls("endpointCommand")).toEqual([{ command: "retry", url: "http://10.0.0.13:8081/metrics" }]);
  });
});
