import type { Browser, CDPSession, Page } from "playwright-core";
import { findChromium, HOW_TO_GET_CHROMIUM } from "../../workbench/chromium.mjs";
import { FAMILIES } from "../../support/view-harness/data.js";
import type {} from "../../support/view-harness/host.js";
import { Reported, type BenchRow, type Task } from "./frame.js";

const CHARTS = 60;
const POINTS = 5000;
const HERTZ = 3;
/** Until all charts have been drawn once and compiled. */
const SETTLE_MS = 5000;

/** A part of a trace, in microseconds; `tdur` is of the thread's own processor time. */
interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string; readonly data?: { readonly url?: string } };
}

/** Sixty charts on a page that goes on three times a second, answered by the stand-in host of the views' tests. */
const charts: Task = async (seconds) => {
  // Only where they are wanted: the other rows' processes need neither.
  const { chromium } = await import("playwright-core");
  const { serveView } = await import("../../support/view-harness/serve.js");
  const executablePath = await findChromium();
  if (executablePath === undefined) throw new Error(HOW_TO_GET_CHROMIUM);
  return async () => {
    const served = await serveView();
    const browser = await chromium.launch({
      executablePath,
      args: ["--no-sandbox", "--disable-gpu", "--no-first-run"],
    });
    try {
      const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
      await page.goto(`${served.url}?seconds=${Math.round(POINTS / HERTZ)}&every=${Math.round(1000 / HERTZ)}`);
      await addCharts(page);
      await page.waitForTimeout(SETTLE_MS);
      const session = await page.context().newCDPSession(page);
      const before = await heapBytes(session);
      const tasks = await tracedTasks(browser, page, seconds);
      const after = await heapBytes(session);
      const frames = busyFrames(tasks);
      return new Reported(
        {
          seconds: percentile(
            frames.map(({ wall }) => wall),
            0.95,
          ),
          cpuSeconds: percentile(
            frames.map(({ cpu }) => cpu),
            0.95,
          ),
          peakBytes: after,
          pauseSeconds: Math.max(...tasks.map(({ cpu }) => cpu)),
        },
        `95th percentile of ${frames.length} frames with work; the page's memory ${megabytes(before)} → ${megabytes(after)}`,
      );
    } finally {
      await browser.close();
      await served.close();
    }
  };
};

async function addCharts(page: Page): Promise<void> {
  const cards = page.locator(".chart-card");
  await cards.first().waitFor();
  await page.evaluate(
    (families) => {
      for (const family of families) window.harness.showInChart({ family });
    },
    FAMILIES.slice(0, CHARTS).map(({ name }) => name),
  );
  await page.waitForFunction((wanted) => document.querySelectorAll(".chart-card").length >= wanted, CHARTS);
  await page.locator(".charts").evaluate((element) => element.scrollIntoView());
}

/** Seconds. */
interface PageTask {
  readonly start: number;
  readonly wall: number;
  /** Processor time of the page's thread. */
  readonly cpu: number;
}

/**
 * What the page's main thread did, without what the stand-in host did on it, and without committing to the compositor:
 * without a graphics processor, canvases are rasterised within that.
 */
async function tracedTasks(browser: Browser, page: Page, seconds: number): Promise<readonly PageTask[]> {
  await browser.startTracing(page, { categories: ["devtools.timeline", "disabled-by-default-devtools.timeline"] });
  await page.waitForTimeout(seconds * 1000);
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const calls = traceEvents.filter(({ name }) => name === "FunctionCall");
  const view = calls.find(({ args }) => args?.data?.url?.endsWith("/webview.js") === true);
  const own = (event: TraceEvent) => event.pid === view?.pid && event.tid === view.tid;
  const hosts = calls.filter((call) => own(call) && call.args?.data?.url?.endsWith("/host.js") === true);
  const commits = traceEvents.filter((event) => event.name === "Commit" && own(event));
  const within = (task: TraceEvent, events: readonly TraceEvent[]) =>
    events.filter(({ ts }) => ts >= task.ts && ts < task.ts + (task.dur ?? 0));
  return traceEvents
    .filter((event) => event.name === "RunTask" && event.ph === "X" && own(event))
    .filter((task) => within(task, hosts).length === 0)
    .map((task) => {
      const rastered = within(task, commits);
      const less = (key: "dur" | "tdur") =>
        rastered.reduce((rest, event) => rest - (event[key] ?? 0), task[key] ?? 0) / 1e6;
      return { start: task.ts / 1e6, wall: less("dur"), cpu: less("tdur") };
    });
}

const FRAME_SECONDS = 1 / 60;
/** Less is no work: a timer that finds nothing to do. */
const WORK_SECONDS = 0.0005;

/** The work of each frame that had any. */
function busyFrames(tasks: readonly PageTask[]): readonly Omit<PageTask, "start">[] {
  const frames = new Map<number, { wall: number; cpu: number }>();
  for (const { start, wall, cpu } of tasks) {
    const frame = Math.floor(start / FRAME_SECONDS);
    const sum = frames.get(frame) ?? { wall: 0, cpu: 0 };
    frames.set(frame, { wall: sum.wall + wall, cpu: sum.cpu + cpu });
  }
  return [...frames.values()].filter(({ cpu }) => cpu > WORK_SECONDS);
}

function percentile(values: readonly number[], q: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(q * (values.length - 1))] ?? NaN;
}

/** Of what the page still holds. */
async function heapBytes(session: CDPSession): Promise<number> {
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return usedSize;
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

export const VIEW_ROWS: readonly BenchRow[] = [
  {
    name: "charts of a live page, work of a frame",
    work: (seconds) => `${CHARTS} charts × ${POINTS} scrapes at ${HERTZ} Hz, watched for ${seconds} s`,
    scale: 30,
    cold: true,
    goal: { cpuSeconds: 0.008, pauseSeconds: 0.05 },
    ours: charts,
  },
];
