import { describe, expect, it } from "vitest";
import { JsonlReader, RunAssembler } from "../../../../src/core/artifacts/index.js";
import { familyUnit } from "../../../../src/core/catalog/index.js";
import { epochNs, formatLabels } from "../../../../src/core/model/index.js";
import { complete, runStatistics } from "../../../../src/core/stats/index.js";
import type { Run } from "../../../../src/core/store/index.js";
import { jsonlLines } from "../../../support/jsonl-lines.js";
import { ORIGIN, RunBuilder, SECOND, type TestSample } from "../../../support/run-builder.js";
import { seededRandom } from "../../../support/random.js";

/**
 * All that a long capture may meet, at random: restarts, changing bounds, late and failed scrapes, gaps, samples that
 * come and go.
 */
function randomRun(seed: number): Run {
  const random = seededRandom(seed);
  const builder = new RunBuilder(2);
  const chance = (p: number) => random() < p;
  const states = ["http://a:1/metrics", "http://b:2/metrics"].map((url) => ({
    url,
    counter: 0,
    bounds: ["0.5", "1", "10", "+Inf"],
    counts: new Map<string, number>(),
    sum: 0,
    version: 1,
  }));
  for (let i = 0; i < 120; i++) {
    for (const state of states) {
      // Late answers overtake one another.
      const time = i * 0.5 - (chance(0.1) ? 2 : 0) + Math.floor(random() * 1e6) / 1e9;
      if (chance(0.05)) builder.scrape(time, "failed", state.url);
      if (chance(0.1)) builder.scrape(time, "duplicate", state.url);
      if (chance(0.03)) state.bounds = chance(0.5) ? ["0.25", "0.5", "1.0", "10", "+Inf"] : ["0.5", "1", "10", "+Inf"];
      if (chance(0.03)) {
        state.counter = 0;
        state.sum = 0;
        state.counts.clear();
        state.version++;
      }
      state.counter += Math.floor(random() * 2 ** (chance(0.05) ? 60 : 8));
      state.sum += random() / 3;
      let below = 0;
      const buckets = Object.fromEntries(
        state.bounds.map((bound) => {
          const own = (state.counts.get(bound) ?? 0) + Math.floor(random() * 4);
          state.counts.set(bound, own);
          return [bound, (below += own)];
        }),
      );
      const odd = [NaN, Infinity, -Infinity, -0, 1e-310, 1.7976931348623157e308, 0.1 + 0.2, -5e-324];
      const samples: TestSample[] = [
        {
          name: "c_total_things",
          type: "counter",
          labels: { 'we"ird\\': "a\nb\u2028", z: "1", a: "" },
          value: state.counter,
        },
        { name: "g", value: odd[Math.floor(random() * odd.length)]! },
        { name: "g", labels: { k: "v" }, value: random() * 10 ** Math.floor(random() * 40 - 20) },
        { name: "untold", type: "unknown", value: chance(0.3) ? NaN : i },
        { name: "server_info", labels: { version: String(state.version) }, value: 1 },
        { name: "h_seconds", labels: { model: "m" }, buckets, sum: state.sum, count: below },
        { name: "bare_seconds", buckets: { "1": i, "+Inf": 2 * i } },
      ];
      builder.scrape(
        time,
        samples.filter(() => !chance(0.08)),
        state.url,
      );
    }
  }
  builder.run.addMark({ time: epochNs(ORIGIN + BigInt(7 * SECOND)), label: 'step "2"\n' });
  return builder.window(6, 50).run;
}

function readBack(text: string, piece: number): Run {
  const assembler = new RunAssembler();
  const reader = new JsonlReader({
    onScrape: (scrape, phase) => assembler.scrape(scrape, phase),
    onEvent: (event) => assembler.event(event),
    onProblem: ({ line, message }) => {
      throw new Error(`line ${line}: ${message}`);
    },
  });
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += piece) reader.push(bytes.slice(at, at + piece));
  reader.end();
  return assembler.assemble(
    { benchmarkId: "none", endpointsConfigured: [], sliceDurationSeconds: 1, inputConfig: {} },
    reader,
  );
}

const textOf = (run: Run) =>
  jsonlLines(run)
    .map((line) => `${line}\n`)
    .join("");

/** Every sample of every series, by name and labels: a file may number them otherwise. */
function samplesOf({ store }: Run) {
  return new Map(
    Array.from(
      store.seriesKeys(),
      (key) =>
        [
          `${key.endpointUrl} ${key.family.type} ${key.family.name}${formatLabels(key.labels)}`,
          store.read(key.id),
        ] as const,
    ).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

describe("a run through JSONL", () => {
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    it(`has the same samples, statistics and text, whatever it met (seed ${seed})`, () => {
      const run = randomRun(seed);
      const text = textOf(run);
      const back = readBack(text, 700 + seed);
      // Offsets count from the first scrape to arrive, in the file as in the capture.
      expect(back.store.origin - run.store.origin).toBe(BigInt(run.store.endpoints[0]!.times.at(0)));
      const shift = Number(back.store.origin - run.store.origin);
      const [before, after] = [samplesOf(run), samplesOf(back)];
      expect([...after.keys()]).toEqual([...before.keys()]);
      for (const [name, samples] of before) {
        const moved = (times: Float64Array) => times.map((time) => time - shift);
        expect(after.get(name), name).toEqual(
          samples.kind === "scalar"
            ? { ...samples, times: moved(samples.times), gapTimes: moved(samples.gapTimes) }
            : {
                ...samples,
                segments: samples.segments.map((segment) => ({ ...segment, times: moved(segment.times) })),
              },
        );
      }
      const statistics = (of: Run) => complete(runStatistics(of, { unitOf: familyUnit }));
      expect(statistics(back)).toEqual(statistics(run));
      expect(back.marks).toEqual(run.marks);
      // The beginning tells the origin: what was built has that of its builder.
      expect(textOf(back).split("\n").slice(1)).toEqual(text.split("\n").slice(1));
    });
  }
});
