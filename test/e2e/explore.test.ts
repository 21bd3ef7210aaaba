import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Frame, Locator } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { runCli } from "../support/cli.js";
import { answeredScrapes, exportedJson, readJsonArtifact, type JsonArtifact } from "./artifacts.js";
import {
  allDrawn,
  boxOf,
  answerExport,
  canvasDigest,
  closeEditor,
  notification,
  openFromExplorer,
  openWorkbench,
  pick,
  pressInTitle,
  runCommand,
  screenshot,
  until,
  webview,
  type Theme,
  type Workbench,
} from "./driver.js";
import { hasStatistics, rowsOf, seriesOf } from "./statistics-table.js";
import { tidied } from "./tidy.js";

const FILE = "server_metrics_export.jsonl";
/** Chosen one after the other, seconds; the last one stays. */
const SLICES = ["7", "2.5"] as const;
const ACCEPTED = "vllm:spec_decode_num_accepted_tokens_per_pos";

/**
 * A run recorded from the demo server, explored with pointer and keys; every number is compared with what the command
 * line makes of the same file.
 */
describe("a saved run explored", () => {
  /** What is not in the workspace lies beside it. */
  let base: string;
  let run: string;
  /** The first scrape, where the run's own axis begins; nanoseconds since the epoch. */
  let origin: bigint;
  let whole: JsonArtifact;
  let workbench: Workbench;
  let exports = 0;

  beforeAll(async () => {
    base = await mkdtemp(path.join(os.tmpdir(), "server-metrics-explore-"));
    const folder = path.join(base, "workspace");
    run = path.join(folder, "run");
    const log = path.join(base, "scrapes.jsonl.gz");
    const recorded = await runCli(["demo", "--record", log, "--duration", "60"]);
    expect(recorded.code, recorded.stderr).toBe(0);
    const replayed = await runCli(["replay", log, "--out", run, "--formats", "jsonl"]);
    expect(replayed.code, replayed.stderr).toBe(0);
    origin = (await answeredScrapes(path.join(run, FILE)))[0]!;
    whole = await exported();
    workbench = await openWorkbench({ folder, container: "Server Metrics" });
    await openFromExplorer(workbench.page, "run", FILE);
  });
  tidied(() => ({ workbench, folder: base }));

  const exported = (...flags: readonly string[]): Promise<JsonArtifact> =>
    exportedJson(path.join(run, FILE), path.join(base, `exported-${++exports}`), ...flags);

  const shown = (): Promise<Frame> => webview(workbench.page, ".run-view");
  const cardOf = (view: Frame, title: string): Locator => view.getByRole("region", { name: title, exact: true });
  const drawn = (view: Frame): Promise<void> =>
    until(
      () => allDrawn(view.locator(".chart-canvas canvas")),
      () => "the charts are not all drawn",
    );

  it("is zoomed by wheel and drag in all charts at once, with one crosshair and its values in each, and shown whole again", async () => {
    const { page } = workbench;
    const view = await shown();
    await view.getByRole("tab", { name: "Explore" }).click();
    await drawn(view);
    const canvases = view.locator(".chart-card .chart-canvas canvas");
    const [first, other] = [canvases.nth(0), canvases.nth(1)];
    await first.scrollIntoViewIfNeeded();
    const { x, y, width, height } = await boxOf(first);
    const digests = () => Promise.all([first, other].map(canvasDigest));
    const bothDiffer = (before: readonly number[]) =>
      until(
        async () => (await digests()).every((digest, i) => digest !== before[i]),
        () => "the charts do not both change",
      );

    const readouts = (card: number) => view.locator(".chart-card").nth(card).locator(".legend-value").allTextContents();
    const newest = [await readouts(0), await readouts(1)];
    await page.mouse.move(x + width / 3, y + height / 2);
    const times = () =>
      view
        .locator(".chart-card .crosshair:visible")
        .evaluateAll((lines) => lines.map((line) => (line instanceof HTMLElement ? line.dataset["time"] : undefined)));
    let crosshairs = "";
    await until(
      async () => {
        const [shownIn, all] = [(await times()).length, await canvases.count()];
        crosshairs = `${shownIn} of ${all} charts`;
        return shownIn === all;
      },
      () => `the crosshair is in ${crosshairs}`,
    );
    expect(new Set(await times()).size).toBe(1);
    await until(
      async () => String(await readouts(0)) !== String(newest[0]) && String(await readouts(1)) !== String(newest[1]),
      () => "two charts do not both tell the values at the crosshair",
    );
    await screenshot(page, "explored-crosshair");

    const unzoomed = await digests();
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -300);
    await page.keyboard.up("Control");
    const strip = view.locator(".strip-zoom");
    const zoom = async () => ((await strip.getAttribute("data-zoom")) ?? "").split(" ").map(Number);
    await strip.waitFor();
    await bothDiffer(unzoomed);
    const [wheelFrom = NaN, wheelTo = NaN] = await zoom();
    expect(wheelTo - wheelFrom).toBeLessThan(59);

    const byWheel = await digests();
    await page.mouse.move(x + width * 0.4, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.7, y + height / 2, { steps: 5 });
    await page.mouse.up();
    await until(
      async () => String(await zoom()) !== String([wheelFrom, wheelTo]),
      () => "dragging does not zoom",
    );
    await bothDiffer(byWheel);
    const [from = NaN, to = NaN] = await zoom();
    expect(from).toBeGreaterThan(wheelFrom);
    expect(to).toBeLessThan(wheelTo);
    await page.mouse.move(x + width / 2, y + height / 2);
    await screenshot(page, "explored-zoomed");

    await page.mouse.move(x + width / 2, y - 150);
    await view.getByRole("button", { name: "Reset Zoom" }).click();
    await strip.waitFor({ state: "detached" });
    await until(
      async () => String([await readouts(0), await readouts(1)]) === String(newest),
      () => "the newest values are not back",
    );
    await screenshot(page, "explored-reset");
  });

  it("is cut into slices of another length by its header, and the timeslices follow", async () => {
    const view = await shown();
    await view.getByRole("tab", { name: "Timeslices" }).click();
    await view.getByRole("button", { name: "Choose a metric" }).click();
    await view.getByRole("combobox", { name: "Search metrics" }).fill("vllm:generation_tokens");
    await view.getByRole("combobox", { name: "Search metrics" }).press("Enter");
    const table = view.getByRole("grid", { name: "Timeslices of Generation tokens" });
    await table.waitFor();
    for (const seconds of SLICES) {
      const length = view.getByRole("combobox", { name: "Slice:" });
      await length.fill(seconds);
      await length.press("Enter");
      const { timeslices = [] } = (await exported("--slice-duration", seconds)).metrics["vllm:generation_tokens"]!
        .series[0]!;
      expect(timeslices.length).toBe(Math.ceil(59.94 / Number(seconds)));
      await until(
        async () => Number(await table.getAttribute("aria-rowcount")) === timeslices.length + 1,
        () => `the table has not ${timeslices.length} slices`,
      );
      const rows = await rowsOf(view);
      expect(rows.map(({ texts }) => texts[1])).toEqual(
        timeslices.map(({ start_ns, end_ns }) => `${Number(((end_ns - start_ns) / 1e9).toFixed(1))} s`),
      );
      expect(rows.map(({ numbers }) => numbers)).toEqual(timeslices.map(({ total, rate }) => ({ total, rate })));
      await screenshot(workbench.page, `explored-slices-${seconds}`);
    }
  });

  it("shows buckets, positions, ranks and shares, in both themes", async () => {
    const { page } = workbench;
    const view = await shown();
    await view.getByRole("tab", { name: "Explore" }).click();
    const add = async (family: string) => {
      await view.getByRole("button", { name: "Add Chart" }).click();
      await view.getByRole("combobox", { name: "Search metrics" }).fill(family);
      await view.getByRole("combobox", { name: "Search metrics" }).press("Enter");
    };
    const CARDS = [
      ["vllm:time_to_first_token_seconds", "Time to first token", "Heatmap"],
      ["vllm:e2e_request_latency_seconds", "Request latency", "Distribution"],
      [ACCEPTED, "Draft tokens accepted, by position", "Positions"],
      ["http_requests", "HTTP requests", "Top"],
      ["vllm:request_success", "Requests finished", "Shares"],
    ] as const;
    for (const [family, title, mode] of CARDS) {
      await add(family);
      await cardOf(view, title).getByRole("radio", { name: mode }).click();
    }
    const [heatmap, distribution, vector, ranking, shares] = CARDS.map(([, title]) => cardOf(view, title)) as [
      Locator,
      Locator,
      Locator,
      Locator,
      Locator,
    ];

    await heatmap.getByRole("img", { name: /^Heatmap of \d+ buckets/ }).waitFor();

    const { stats, buckets = {} } = whole.metrics["vllm:e2e_request_latency_seconds"]!.series[0]!;
    await distribution
      .getByRole("list", {
        name: `Distribution of Request latency over the window, ${stats["count"]!.toLocaleString("en-US")} observations`,
      })
      .waitFor();
    // Between the first and the last bucket that holds any; the others are counted.
    const bound = (text: string) => (text === "+Inf" ? Infinity : Number(text));
    const cumulative = Object.entries(buckets)
      .sort(([a], [b]) => bound(a) - bound(b))
      .map(([, count]) => count);
    const held = cumulative.map((count, i) => count > (cumulative[i - 1] ?? 0));
    const bars = held.lastIndexOf(true) - held.indexOf(true) + 1;
    expect(await distribution.getByRole("listitem").count()).toBe(bars);
    if (bars < held.length) await distribution.getByText(`${held.length - bars} empty bucket`).waitFor();

    const { series: positions } = whole.metrics[ACCEPTED]!;
    await vector.getByRole("combobox", { name: "What the bars show" }).click();
    await vector.getByRole("option", { name: "increase" }).click();
    const told = await vector
      .locator(".position-bar")
      .evaluateAll((bars) => bars.map((bar) => bar.getAttribute("aria-label") ?? ""));
    expect(told).toHaveLength(positions.length);
    for (const [i, { stats: own }] of positions.entries()) {
      expect(told[i]).toContain(`position ${i}, `);
      if (i > 0)
        expect(told[i]).toContain(
          `${((100 * own["total"]!) / positions[0]!.stats["total"]!).toPrecision(3)} % of position 0`,
        );
    }

    const byRate = whole.metrics["http_requests"]!.series.map(({ labels, stats: own }) => ({
      handler: labels?.["handler"] ?? "",
      rate: own["rate"]!,
    })).sort((a, b) => b.rate - a.rate);
    const ranks = ranking.getByRole("row");
    await until(
      async () => (await ranks.count()) === byRate.length + 1,
      () => "the ranking has not all series",
    );
    for (const [i, { handler }] of byRate.entries())
      expect(await ranks.nth(i + 1).getAttribute("title")).toContain(`handler=${handler}\n`);

    await shares.getByRole("combobox", { name: "What it is split by" }).click();
    await shares.getByRole("option", { name: "by finished_reason" }).click();
    const reasons = whole.metrics["vllm:request_success"]!.series.map(({ labels, stats: own }) => ({
      reason: labels?.["finished_reason"] ?? "",
      total: own["total"]!,
    }));
    const all = reasons.reduce((sum, { total }) => sum + total, 0);
    for (const { reason, total } of reasons.filter((one) => one.total > 0)) {
      await shares.getByRole("row", { name: `${reason} ${((100 * total) / all).toFixed(1)} % ${total}` }).waitFor();
    }

    for (const theme of ["light", "dark"] satisfies Theme[]) {
      await workbench.setTheme(theme);
      await until(
        () => allDrawn(view.locator(".chart-canvas canvas, .heatmap canvas")),
        () => `not everything is drawn in the ${theme} theme`,
      );
      for (const [i, card] of [heatmap, distribution, vector, ranking, shares].entries()) {
        await card.scrollIntoViewIfNeeded();
        await screenshot(page, `explored-${CARDS[i]![2].toLowerCase()}-${theme}`);
      }
    }
  });

  it("has its warm-up and window moved by dragging, and its statistics are those of the command line", async () => {
    const { page } = workbench;
    const view = await shown();
    const handle = (name: string) => view.getByRole("slider", { name });
    const track = view.locator(".strip-track");
    const drag = async (name: string, fraction: number) => {
      await track.scrollIntoViewIfNeeded();
      const { x, width } = await boxOf(track);
      const from = await boxOf(handle(name));
      const y = from.y + from.height / 2;
      await page.mouse.move(from.x + from.width / 2, y);
      await page.mouse.down();
      await page.mouse.move(x + width * fraction, y, { steps: 6 });
      await track.locator(".strip-label").waitFor();
      await screenshot(page, `explored-drag-${name.replaceAll(" ", "-").toLowerCase()}`);
      await page.mouse.up();
      await track.locator(".strip-label").waitFor({ state: "detached" });
    };
    /**
     * Where a handle is shown, nanoseconds since the epoch: told from the end of the warm-up, and that from the run's
     * start.
     */
    const place = async (name: string): Promise<bigint> => {
      const start = await handle("Start of the window").getAttribute("aria-valuemin");
      const now = await handle(name).getAttribute("aria-valuenow");
      return origin + BigInt(Math.round((Number(now) - Number(start)) * 1e9));
    };

    await drag("End of the warm-up", 0.1);
    const warmupEnd = await place("End of the warm-up");
    expect(Number(warmupEnd - origin) / 1e9).toBeCloseTo(6, 0);
    await hasStatistics(
      view,
      "counters",
      await exported("--start-ns", String(warmupEnd), "--slice-duration", SLICES[1]),
    );

    await view.getByRole("tab", { name: "Explore" }).click();
    await drag("Start of the window", 0.25);
    await view.locator(".adjust-chosen", { hasText: "Window: 0:09 to 0:54" }).waitFor();
    await drag("End of the window", 0.75);
    await view.locator(".adjust-chosen", { hasText: "Window: 0:09 to 0:39" }).waitFor();
    const [start, end] = [await place("Start of the window"), await place("End of the window")];
    expect(Number(end - start) / 1e9).toBeCloseTo(30, 0);
    await drawn(view);
    await screenshot(page, "explored-window");
    const window = await exported("--start-ns", String(start), "--end-ns", String(end), "--slice-duration", SLICES[1]);
    for (const type of ["gauges", "counters", "histograms"]) await hasStatistics(view, type, window);
    await screenshot(page, "explored-window-statistics");

    await pressInTitle(page, "Export As…");
    await answerExport(page, "window", "Beside the opened file");
    await notification(page, /Server metrics written/).waitFor();
    await runCommand(page, "Notifications: Clear All Notifications");
    const written = seriesOf(await readJsonArtifact(path.join(run, "window_server_metrics.json")));
    expect(new Set(written.keys())).toEqual(new Set(seriesOf(window).keys()));
    for (const [key, stats] of seriesOf(window)) {
      for (const [name, value] of Object.entries(stats))
        if (!/_(estimate|interval)$/.test(name)) expect(written.get(key)?.[name], `${name} of ${key}`).toBe(value);
    }

    await closeEditor(page, FILE);
    await openFromExplorer(page, "run", "window_server_metrics.parquet");
    const again = await shown();
    // The run has kept the tab that its other file was closed with.
    await again.getByRole("tab", { name: "Overview" }).click();
    await drawn(again);
    await screenshot(page, "explored-exported");
    for (const type of ["counters", "histograms"]) await hasStatistics(again, type, window);
  });

  it("has logged no error in its views", () => {
    expect(workbench.errors).toEqual([]);
  });

  it("has the documentation beside it", async () => {
    const { page } = workbench;
    await runCommand(page, "Open Documentation");
    await pick(page, /Documentation/, "Findings");
    const preview = await webview(page, ".markdown-body h1");
    await preview.getByRole("heading", { name: "Findings", level: 1 }).waitFor();
    await preview.getByRole("heading", { name: "Thresholds" }).waitFor();
    await screenshot(page, "documentation");
  });
});
