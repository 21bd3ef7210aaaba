import { ExpositionParser } from "../../src/core/exposition/index.js";
import { durationNs, epochNs } from "../../src/core/model/index.js";
import { endpointOverview, familySummaries, staticFacts, tileSteps } from "../../src/core/query/index.js";
import { Run } from "../../src/core/store/index.js";
import { vllmExpositions } from "../support/vllm-exposition.js";

const ENDPOINTS = 20;
const INTERVAL_NS = 333_000_000;
const START = 1_765_000_000_000_000_000n;

/**
 * What a push to a view costs the engine as a capture grows: 20 vLLM endpoints of 300 series, scraped every 333 ms.
 * Tiles are read in steps between the scrapes: what delays a scrape is the longest of them. Arguments: [minutes].
 */
export function run(args: string[]): Promise<void> {
  const minutes = Number(args[0] ?? 60);
  const scrapes = Math.round((minutes * 60e9) / INTERVAL_NS);
  const urls = Array.from({ length: ENDPOINTS }, (_, e) => `http://10.0.0.${e}:8000/metrics`);
  const captured = new Run({
    benchmarkId: "bench",
    endpointsConfigured: urls,
    sliceDurationSeconds: 5,
    inputConfig: {},
  });
  captured.setProfilingStart(epochNs(START));
  const parser = new ExpositionParser();
  const expositions = vllmExpositions({ engines: 1, moving: 0.5, seed: 1 });
  const encoder = new TextEncoder();
  const report: string[] = [];
  const steps = () => {
    const begun = performance.now();
    let longest = 0;
    for (let last = begun, reading = tileSteps(captured); reading.next().done !== true; last = performance.now())
      longest = Math.max(longest, performance.now() - last);
    return { all: performance.now() - begun, longest };
  };
  const push = (n: number) => {
    const timed = <T>(f: () => T) => {
      const begun = performance.now();
      f();
      return performance.now() - begun;
    };
    const tiles = steps();
    const header = timed(() => [
      staticFacts(captured),
      ...captured.store.endpoints.map(({ id }) => endpointOverview(captured, id)),
    ]);
    const families = timed(() => familySummaries(captured));
    report.push(
      `${((n * INTERVAL_NS) / 60e9).toFixed(1).padStart(6)} min: tiles ${tiles.all.toFixed(1)} ms in steps of up to ${tiles.longest.toFixed(1)} ms, header ${header.toFixed(1)} ms, families ${families.toFixed(1)} ms`,
    );
  };
  const points = new Set([0.01, 0.1, 0.25, 0.5, 1].map((share) => Math.round(scrapes * share)));
  let appending = 0;
  for (let n = 1; n <= scrapes; n++) {
    const batch = parser.parse(encoder.encode(expositions.next().value + others(n)), "text");
    const begun = performance.now();
    for (const [e, endpointUrl] of urls.entries()) {
      const time = epochNs(START + BigInt(n * INTERVAL_NS + e * 1000));
      captured.store.append({
        endpointUrl,
        time,
        latency: durationNs(3_000_000),
        requestSent: epochNs(time - 2_000_000n),
        outcome: { kind: "samples", batch },
      });
    }
    appending += performance.now() - begun;
    if (points.has(n)) {
      push(n);
      // The second of two pushes in a row is the usual one: nearly nothing is new.
      push(n);
    }
  }
  report.push(
    `${captured.store.seriesCount} series, ${Math.round(captured.store.bytes / 1024 ** 2)} MiB, ${((appending * 1000) / scrapes / ENDPOINTS).toFixed(0)} µs per append`,
  );
  process.stdout.write(`${report.join("\n")}\n`);
  return Promise.resolve();
}

/** What makes up 300 series with those of vLLM, half of them moving. */
function others(n: number): string {
  const lines: string[] = [];
  for (let family = 0; family < 11; family++) {
    lines.push(`# TYPE other_${family} ${family % 2 === 0 ? "counter" : "gauge"}`);
    for (let series = 0; series < 25; series++)
      lines.push(`other_${family}{part="${series}"} ${series % 2 === 0 ? series : n * 0.25 + series}`);
  }
  return `${lines.join("\n")}\n`;
}
