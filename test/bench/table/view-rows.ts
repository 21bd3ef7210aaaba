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
const onPage = async (
  watch: (browser: Browser, page: Page, session: CDPSession) => Promise<Reported>,
): Promise<() => Promise<Reported>> => {
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
      // What came meanwhile has moved them.
      await scrollToCharts(page);
      return await watch(browser, page, await page.context().newCDPSession(page));
    } finally {
      await browser.close();
      await served.close();
    }
  };
};

const charts: Task = (seconds) =>
  onPage(async (browser, page) => {
    const tasks = await tracedTasks(browser, page, seconds);
    const frames = busyFrames(tasks);
    const late = (figure: "cpu" | "drawn", q = 0.95) =>
      percentile(
        frames.map((frame) => frame[figure]),
        q,
      );
    return new Reported(
      { seconds: late("drawn"), cpuSeconds: late("cpu"), pauseSeconds: Math.max(...tasks.map(({ cpu }) => cpu)) },
      [
        `95th percentiles of the processor time of ${frames.length} frames with work`,
        `the first one rasterised on the page's thread, as without a graphics processor`,
        `half of the frames ${milliseconds(late("drawn", 0.5))} and ${milliseconds(late("cpu", 0.5))}`,
      ].join("; "),
    );
  });

/** What the page still holds, ten times over the time. */
const memory: Task = (seconds) =>
  onPage(async (_browser, page, session) => {
    const held = [await heapBytes(session)];
    while (held.length <= 10) {
      await page.waitForTimeout(seconds * 100);
      held.push(await heapBytes(session));
    }
    return new Reported({ seconds, peakBytes: Math.max(...held) }, held.map(megabytes).join(" → "));
  });

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
  await scrollToCharts(page);
}

const scrollToCharts = (page: Page) => page.locator(".charts").evaluate((element) => element.scrollIntoView());

/** Seconds. */
interface Work {
  /** Processor time of the page's thread, without rasterising. */
  readonly cpu: number;
  /** Of that thread with rasterising. */
  readonly drawn: number;
}

interface PageTask extends Work {
  readonly start: number;
  /** It makes a frame of the page. */
  readonly begins: boolean;
}

/** Once in each frame that the browser makes. */
const BEGINS_FRAME = "WebFrameWidgetImpl::BeginMainFrame";
/** Within these, canvases are rasterised and copied where there is no graphics processor. */
const RASTERISING: ReadonlySet<string> = new Set([
  "Commit",
  "CanvasRenderingContext2D::FinalizeFrame",
  "Canvas2DResourceProvider::ProduceCanvasResource",
]);

/** What the page's main thread did, without what the stand-in host did on it, and without rasterising. */
async function tracedTasks(browser: Browser, page: Page, seconds: number): Promise<readonly PageTask[]> {
  await browser.startTracing(page, {
    categories: ["devtools.timeline", "disabled-by-default-devtools.timeline", "blink"],
  });
  await page.waitForTimeout(seconds * 1000);
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const calls = traceEvents.filter(({ name }) => name === "FunctionCall");
  const view = calls.find(({ args }) => args?.data?.url?.endsWith("/webview.js") === true);
  const own = (event: TraceEvent) => event.pid === view?.pid && event.tid === view.tid;
  const hosts = calls.filter((call) => own(call) && call.args?.data?.url?.endsWith("/host.js") === true);
  const rasterising = outermost(
    traceEvents.filter((event) => RASTERISING.has(event.name) && event.ph === "X" && own(event)),
  );
  const begins = traceEvents.filter((event) => event.name === BEGINS_FRAME && own(event));
  const within = (task: TraceEvent, events: readonly TraceEvent[]) =>
    events.filter(({ ts }) => ts >= task.ts && ts < task.ts + (task.dur ?? 0));
  return traceEvents
    .filter((event) => event.name === "RunTask" && event.ph === "X" && own(event))
    .filter((task) => within(task, hosts).length === 0)
    .map((task) => {
      const rastered = within(task, rasterising);
      const cpu = rastered.reduce((rest, event) => rest - (event.tdur ?? 0), task.tdur ?? 0) / 1e6;
      return {
        start: task.ts / 1e6,
        begins: within(task, begins).length > 0,
        cpu,
        drawn: (task.tdur ?? 0) / 1e6,
      };
    })
    .sort((a, b) => a.start - b.start);
}

/** Of one thread's events those that lie in no other. */
function outermost(events: readonly TraceEvent[]): readonly TraceEvent[] {
  const kept: TraceEvent[] = [];
  let end = -Infinity;
  for (const event of [...events].sort((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0))) {
    if (event.ts < end) continue;
    kept.push(event);
    end = event.ts + (event.dur ?? 0);
  }
  return kept;
}

const FRAME_SECONDS = 1 / 60;
/** Less is no work: a timer that finds nothing to do. */
const WORK_SECONDS = 0.0005;

/**
 * The work of each frame that had any. A frame starts where the browser begins to make one, and is as long as the
 * display shows it; where nothing is to be shown, one follows another. Frames cut by the clock alone held the work of
 * two wherever one began a little late.
 */
function busyFrames(tasks: readonly PageTask[]): readonly Work[] {
  const frames: Work[] = [];
  let frame = { cpu: 0, drawn: 0 };
  let end = -Infinity;
  for (const { start, begins, cpu, drawn } of tasks) {
    if (begins || start >= end) {
      frames.push((frame = { cpu: 0, drawn: 0 }));
      const passed = begins || end === -Infinity ? 0 : (start - end) % FRAME_SECONDS;
      end = start - passed + FRAME_SECONDS;
    }
    frame.cpu += cpu;
    frame.drawn += drawn;
  }
  return frames.filter(({ cpu }) => cpu > WORK_SECONDS);
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

const milliseconds = (seconds: number) => `${(1000 * seconds).toFixed(1)} ms`;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

export const VIEW_ROWS: readonly BenchRow[] = [
  {
    name: "charts of a live page, work of a frame",
    work: (seconds) => `${CHARTS} charts × ${POINTS} scrapes at ${HERTZ} Hz, watched for ${seconds} s`,
    scale: 30,
    cold: true,
    goal: { seconds: 0.008, cpuSeconds: 0.008, pauseSeconds: 0.05 },
    ours: charts,
  },
  {
    name: "charts of a live page, memory",
    work: (seconds) => `${CHARTS} charts × ${POINTS} scrapes at ${HERTZ} Hz, watched for ${seconds} s`,
    scale: 600,
    once: true,
    ours: memory,
  },
];
