import { stat } from "node:fs/promises";
import { durationNs, epochNs, type Problem, type RunMetadata, type Scrape } from "../../src/core/model/index.js";
import { JournalWriter, type JournalOptions } from "../../src/files/index.js";
import { BatchBuilder, ORIGIN, type TestSample } from "./run-builder.js";

export const JOURNAL_METADATA: RunMetadata = {
  benchmarkId: "11111111-2222-4333-8444-555555555555",
  label: "night run",
  endpointsConfigured: ["http://a:1/metrics", "http://b:2/metrics"],
  sliceDurationSeconds: 2,
  inputConfig: { seed: 9_007_199_254_740_993n, note: 'a "quoted" text' },
};

/** Scrapes of two endpoints in turn, 100 ms apart, with every kind of family. */
export function variedScrapes(count: number): Scrape[] {
  const builders = [new BatchBuilder(), new BatchBuilder()] as const;
  return Array.from({ length: count }, (_, i) => {
    const samples: TestSample[] = [
      { name: "requests", type: "counter", value: 3 * i, labels: { model: "m" } },
      { name: "running", value: Math.sin(i) * 1e3 },
      { name: "mystery", type: "unknown", value: i },
      { name: "latency_seconds", buckets: { "0.5": i, "1.0": 2 * i, "+Inf": 3 * i }, sum: i * 1.7, count: 3 * i },
      { name: "build_info", labels: { version: "1.2" }, value: 1 },
    ];
    const time = epochNs(ORIGIN + BigInt(i) * 100_000_000n);
    const base = {
      endpointUrl: JOURNAL_METADATA.endpointsConfigured[i % 2] ?? "",
      time,
      latency: durationNs(1_000_000),
      requestSent: epochNs(time - 1_000_000n),
    };
    if (i % 17 === 16)
      return { ...base, outcome: { kind: "failed", error: { type: "refused", message: "connection refused" } } };
    return { ...base, outcome: { kind: "samples", batch: builders[i % 2 === 0 ? 0 : 1].batch(samples) } };
  });
}

/** A journal with a member for every `perMember` scrapes. @returns where each member ends */
export async function writeJournal(
  path: string,
  scrapes: readonly Scrape[],
  perMember: number,
  options: Partial<JournalOptions> = {},
): Promise<readonly number[]> {
  const journal = await openJournal(path, options);
  const ends: number[] = [];
  journal.event({ kind: "profiling_start", time: ORIGIN });
  for (const [i, scrape] of scrapes.entries()) {
    journal.scrape(scrape, "profiling");
    if ((i + 1) % perMember !== 0) continue;
    await journal.flush();
    ends.push((await stat(path)).size);
  }
  await journal.close();
  return ends;
}

export function openJournal(path: string, options: Partial<JournalOptions> = {}): Promise<JournalWriter> {
  return JournalWriter.open(path, {
    metadata: JOURNAL_METADATA,
    time: ORIGIN,
    limitBytes: 1e9,
    onNotice: () => undefined,
    batch: 1e9,
    ...options,
  });
}

/** Collects notices. */
export function noticed(): { readonly problems: Problem[]; readonly onNotice: (problem: Problem) => void } {
  const problems: Problem[] = [];
  return { problems, onNotice: (problem) => problems.push(problem) };
}
