import { ExpositionParser } from "../../../src/core/exposition/index.js";
import { durationNs, epochNs } from "../../../src/core/model/index.js";
import { Store } from "../../../src/core/store/index.js";
import { linesOf, scaleRun, type RunScale } from "../../support/scale-run.js";
import { vllmExpositions } from "../../support/vllm-exposition.js";
import { Reported, type BenchRow, type Task } from "./frame.js";

const HOUR = 10_800;
const HOURS = 24;
const FLEET = 200;

/** One endpoint at 333 ms; the scale is in hours. */
const endpoint = (hours: number): RunScale => ({
  endpoints: 1,
  scalars: 95,
  histograms: 18,
  bounds: 20,
  scrapes: Math.round(hours * HOUR),
});

/** Endpoints of 300 lines, of which little more is known than what they are. */
const young = (endpoints: number): RunScale => ({ endpoints, scalars: 80, histograms: 10, bounds: 20, scrapes: 2 });

/** What a run of that scale holds, per sample or line of it. The figures are of one store, without the parser. */
const holding =
  (of: (scale: number) => RunScale, each: string, count: (run: RunScale) => number): Task =>
  (scale) =>
    Promise.resolve(() => {
      const before = heldBytes();
      const run = scaleRun(of(scale));
      const peakBytes = heldBytes() - before;
      const bytes = peakBytes / count(of(scale));
      return new Reported({ peakBytes }, `${bytes.toPrecision(3)} bytes a ${each}, ${run.store.seriesCount} series`);
    });

/** Endpoints with their parsers after one scrape. */
const parsing: Task = (endpoints) => {
  const bodies = Array.from({ length: endpoints }, (_, i) => page(i + 1));
  return Promise.resolve(() => {
    const before = heldBytes();
    const store = new Store();
    const parsers = bodies.map((body, i) => {
      const parser = new ExpositionParser();
      const batch = parser.parse(body, "text");
      store.append({
        endpointUrl: `http://host-${i}:8000/metrics`,
        time: epochNs(1n),
        requestSent: epochNs(0n),
        latency: durationNs(1),
        outcome: { kind: "samples", batch },
      });
      return { parser, lines: batch.length };
    });
    const peakBytes = heldBytes() - before;
    const lines = parsers.reduce((sum, parsed) => sum + parsed.lines, 0);
    return new Reported(
      { peakBytes },
      `${(peakBytes / lines).toPrecision(3)} bytes a line, ${store.seriesCount} series`,
    );
  });
};

function page(seed: number): Uint8Array {
  return new TextEncoder().encode(vllmExpositions({ engines: 1, moving: 1, seed }).next().value);
}

const linesOfPage = () => new ExpositionParser().parse(page(1), "text").length;

function heldBytes(): number {
  globalThis.gc?.();
  // Sealed cells lie in shared memory, which `external` leaves out.
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const samplesOf = (run: RunScale) => run.endpoints * run.scrapes * linesOf(run);
const allLinesOf = (run: RunScale) => run.endpoints * linesOf(run);

export const MEMORY_ROWS: readonly BenchRow[] = [
  {
    name: "memory of samples",
    work: (hours) => `${hours} hours of one endpoint: ${(samplesOf(endpoint(hours)) / 1e6).toFixed(1)} M samples`,
    scale: HOURS,
    once: true,
    growth: [0.24, 2.4, HOURS],
    goal: { peakBytes: samplesOf(endpoint(HOURS)) },
    ours: holding(endpoint, "sample", samplesOf),
  },
  {
    name: "memory of lines",
    work: (endpoints) => `${endpoints} endpoints × ${linesOf(young(endpoints))} lines, after two scrapes`,
    scale: FLEET,
    once: true,
    growth: [2, 20, FLEET],
    goal: { peakBytes: 1000 * allLinesOf(young(FLEET)) },
    ours: holding(young, "line", allLinesOf),
  },
  {
    name: "memory of lines with the parser",
    work: (endpoints) => `${endpoints} endpoints × ${linesOfPage()} lines, after one scrape`,
    scale: FLEET,
    once: true,
    growth: [2, 20, FLEET],
    goal: { peakBytes: 1000 * FLEET * linesOfPage() },
    ours: parsing,
  },
];
