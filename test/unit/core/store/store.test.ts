import { describe, expect, it } from "vitest";
import { offsetNs, toEpoch, type Scrape } from "../../../../src/core/model/index.js";
import { Store } from "../../../../src/core/store/index.js";
import { seededRandom } from "../../../support/random.js";
import { ORIGIN, RunBuilder, SECOND } from "../../../support/run-builder.js";

function seriesOf(store: Store, name: string) {
  const key = [...store.seriesKeys()].find((candidate) => candidate.family.name === name);
  if (key === undefined) throw new Error(`no series of ${name}`);
  return store.read(key.id);
}

function scalar(store: Store, name: string) {
  const samples = seriesOf(store, name);
  if (samples.kind !== "scalar") throw new Error(`${name} is a histogram`);
  return {
    times: [...samples.times].map((t) => t / SECOND),
    values: [...samples.values],
    gaps: [...samples.gapTimes].map((t) => t / SECOND),
  };
}

describe("Store", () => {
  it("aligns series that come and go with the scrapes that had them", () => {
    const { store } = new RunBuilder()
      .scrape(0, [{ name: "a", value: 1 }])
      .scrape(1, [
        { name: "b", value: 10 },
        { name: "a", value: 2 },
      ])
      .scrape(2, "failed")
      .scrape(3, [{ name: "b", value: 30 }]).run;
    expect(scalar(store, "a")).toEqual({ times: [0, 1], values: [1, 2], gaps: [] });
    expect(scalar(store, "b")).toEqual({ times: [1, 3], values: [10, 30], gaps: [] });
    expect(store.endpoints[0]?.failures).toBe(1);
  });

  it("repeats the last good scrape for a duplicate, also after a failure", () => {
    const { store } = new RunBuilder()
      .scrape(0, [{ name: "a", value: 1 }])
      .scrape(1, "duplicate")
      .scrape(2, "failed")
      .scrape(3, "duplicate").run;
    expect(scalar(store, "a")).toEqual({ times: [0, 1, 3], values: [1, 1, 1], gaps: [] });
  });

  it("gives every sample whenever it is asked, however scrapes of several shapes, repeats and failures follow each other", () => {
    const random = seededRandom(11);
    const builder = new RunBuilder();
    const expected = { a: [] as [number, number][], b: [] as [number, number][] };
    let newest: { a: number; b?: number } | undefined;
    for (let i = 0; i < 3000; i++) {
      const kind = random();
      if (kind < 0.05) {
        builder.scrape(i, "failed");
        continue;
      }
      if (kind < 0.15 && newest !== undefined) builder.scrape(i, "duplicate");
      else {
        newest = { a: i, ...(Math.floor(i / 100) % 2 === 0 ? {} : { b: Math.floor(random() * 1e6) }) };
        builder.scrape(
          i,
          Object.entries(newest).map(([name, value]) => ({ name, value })),
        );
      }
      if (newest !== undefined) expected.a.push([i, newest.a]);
      if (newest?.b !== undefined) expected.b.push([i, newest.b]);
      if (random() < 0.9) continue;
      const key = [...builder.run.store.seriesKeys()].find(({ family }) => family.name === "a");
      if (key !== undefined) expect(builder.run.store.last(key.id)).toBe(expected.a.at(-1)?.[1]);
    }
    for (const name of ["a", "b"] as const) {
      const { times, values } = scalar(builder.run.store, name);
      expect(times.map((time, i) => [time, values[i]])).toEqual(expected[name]);
    }
  });

  it("keeps NaN and infinite scalars as gaps, not as samples", () => {
    const { store } = new RunBuilder()
      .scrape(0, [{ name: "a", value: 1 }])
      .scrape(1, [{ name: "a", value: NaN }])
      .scrape(2, [{ name: "a", value: -Infinity }])
      .scrape(3, [{ name: "a", value: Infinity }])
      .scrape(4, [{ name: "a", value: 5 }]).run;
    expect(scalar(store, "a")).toEqual({ times: [0, 4], values: [1, 5], gaps: [1, 2, 3] });
  });

  it("reads samples in time order whatever the order of arrival, equal times as they arrived", () => {
    const { store } = new RunBuilder()
      .scrape(2, [{ name: "a", value: 2 }])
      .scrape(0, [{ name: "a", value: 0 }])
      .scrape(1, [{ name: "a", value: 1 }])
      .scrape(1, [{ name: "a", value: 1.5 }]).run;
    expect(scalar(store, "a")).toEqual({ times: [0, 1, 1, 2], values: [0, 1, 1.5, 2], gaps: [] });
  });

  it("treats label order as irrelevant and lets the last sample of a scrape win", () => {
    const { store } = new RunBuilder().scrape(0, [
      { name: "a", labels: { x: "1", y: "2" }, value: 1 },
      { name: "a", labels: { y: "2", x: "1" }, value: 9 },
    ]).run;
    expect(store.seriesCount).toBe(1);
    expect(scalar(store, "a").values).toEqual([9]);
  });

  it("starts a new segment when the bounds change, and again when they change back", () => {
    const one = { name: "h", buckets: { "1": 1, "+Inf": 2 }, sum: 3, count: 2 };
    const two = { name: "h", buckets: { "1": 1, "5": 1, "+Inf": 2 }, sum: 3, count: 2 };
    const { store } = new RunBuilder().scrape(0, [one]).scrape(1, [one]).scrape(2, [two]).scrape(3, [one]).run;
    const samples = seriesOf(store, "h");
    if (samples.kind !== "histogram") throw new Error("not a histogram");
    expect(samples.segments.map((segment) => [segment.bounds, [...segment.times].map((t) => t / SECOND)])).toEqual([
      [
        ["1", "+Inf"],
        [0, 1],
      ],
      [["1", "5", "+Inf"], [2]],
      [["1", "+Inf"], [3]],
    ]);
  });

  it("sorts bounds by value, and tells count from +Inf and +Inf from count where one is missing", () => {
    const { store } = new RunBuilder()
      .scrape(0, [{ name: "h", buckets: { "+Inf": 4, "10": 3, "2": 1 }, sum: 5 }])
      .scrape(1, [{ name: "h", buckets: { "10": 3, "2": 1 }, sum: 5, count: 6 }]).run;
    const samples = seriesOf(store, "h");
    if (samples.kind !== "histogram") throw new Error("not a histogram");
    expect(samples.segments).toHaveLength(1);
    expect(samples.segments[0]?.bounds).toEqual(["2", "10", "+Inf"]);
    expect([...(samples.segments[0]?.counts ?? [])]).toEqual([4, 6]);
    expect([...(samples.segments[0]?.buckets[2] ?? [])]).toEqual([4, 6]);
  });

  it("gives back every scrape in order of arrival, and a store rebuilt from them is the same", () => {
    const builder = new RunBuilder();
    for (let i = 0; i < 200; i++) {
      builder.scrape(
        i,
        i % 7 === 3
          ? "failed"
          : i % 5 === 2
            ? "duplicate"
            : [
                { name: "a", value: i },
                { name: "h", buckets: { "1": i, "+Inf": i * 2 }, sum: i / 3, count: i * 2 },
              ],
      );
      builder.scrape(
        i + 0.5,
        [{ name: "c", type: "counter", labels: { k: "v" }, value: i % 11 === 0 ? NaN : i }],
        "http://b:2/metrics",
      );
    }
    const { store } = builder.run;
    const copy = new Store();
    const times: bigint[] = [];
    for (const scrape of store.scrapesInOrder()) {
      times.push(scrape.time);
      copy.append(scrape);
    }
    expect(times).toHaveLength(400);
    expect(times[1]).toBe(ORIGIN + 500_000_000n);
    expect(copy.seriesCount).toBe(store.seriesCount);
    for (const key of store.seriesKeys()) expect(copy.read(key.id)).toEqual(store.read(key.id));
    expect(copy.endpoints.map((axis) => [axis.url, axis.rows, axis.failures])).toEqual(
      store.endpoints.map((axis) => [axis.url, axis.rows, axis.failures]),
    );
  });

  it("numbers series in the order of their appearance, histograms among the others", () => {
    const { store } = new RunBuilder().scrape(0, [
      { name: "a", value: 1 },
      { name: "h", buckets: { "+Inf": 1 } },
      { name: "b", value: 1 },
    ]).run;
    expect(Array.from(store.seriesKeys(), ({ family }) => family.name)).toEqual(["a", "h", "b"]);
  });

  it("gives the scrapes that were there when it was asked, while a capture goes on", () => {
    const sample = (i: number) =>
      i < 70
        ? [{ name: "a", value: i + 1 }]
        : [
            { name: "a", value: i + 1 },
            { name: "late", value: i },
          ];
    const builder = new RunBuilder();
    for (let i = 0; i < 70; i++) builder.scrape(i, sample(i));
    const values: number[][] = [];
    for (const { outcome } of builder.run.store.scrapesInOrder()) {
      values.push(outcome.kind === "samples" ? [...outcome.batch.values.subarray(0, outcome.batch.length)] : []);
      builder.scrape(70 + values.length, sample(70 + values.length));
      builder.scrape(70 + values.length, sample(70 + values.length), "http://b:2/metrics");
    }
    expect(values).toEqual(Array.from({ length: 70 }, (_, i) => [i + 1]));
  });

  it("keeps nanoseconds exact and refuses a time it could not", () => {
    const { store } = new RunBuilder().scrape(0, [{ name: "a", value: 1 }]).run;
    const scrape: Scrape = [...store.scrapesInOrder()][0]!;
    store.append({ ...scrape, time: (ORIGIN + 7n) as Scrape["time"] });
    expect(toEpoch(offsetNs(store.endpoints[0]!.times.at(1)), store.origin)).toBe(ORIGIN + 7n);
    expect(() => store.append({ ...scrape, time: (ORIGIN + 10n ** 17n) as Scrape["time"] })).toThrow(/104 days/);
  });
});
