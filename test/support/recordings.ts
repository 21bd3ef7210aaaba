import { ExpositionParser } from "../../src/core/exposition/index.js";
import { durationNs, epochNs } from "../../src/core/model/index.js";
import { Run, Store } from "../../src/core/store/index.js";
import { ORIGIN, SECOND } from "./run-builder.js";

const URL = "http://localhost:8000/metrics";

/**
 * The run of a recording: what a server exposes at each of several scrapes, each under "# scrape N s".
 * @returns what stands before the first scrape, too
 */
export function recordedRun(recording: string, seconds: number): { readonly head: string; readonly run: Run } {
  const [head = "", ...scrapes] = recording.split(/^# scrape (?=\d+ s$)/m);
  const run = new Run(
    { benchmarkId: crypto.randomUUID(), endpointsConfigured: [URL], sliceDurationSeconds: 5, inputConfig: {} },
    new Store(),
  );
  const parser = new ExpositionParser();
  for (const text of scrapes) {
    const time = epochNs(ORIGIN + BigInt(parseInt(text, 10) * SECOND));
    const batch = parser.parse(Buffer.from(text.slice(text.indexOf("\n") + 1)), "text");
    const outcome = { kind: "samples", batch } as const;
    run.store.append({ endpointUrl: URL, time, latency: durationNs(1e6), requestSent: time, outcome });
  }
  run.setProfilingStart(ORIGIN);
  run.setProfilingEnd(epochNs(ORIGIN + BigInt(seconds * SECOND)));
  return { head, run };
}
