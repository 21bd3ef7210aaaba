import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ARTIFACT_FORMATS,
  artifactName,
  parseExact,
  writeCsv,
  writeJson,
  type ArtifactFormat,
} from "../../src/core/artifacts/index.js";
import { familyUnit } from "../../src/core/catalog/index.js";
import { epochNs, type RunStatistics, type SeriesResult } from "../../src/core/model/index.js";
import { complete, runStatistics } from "../../src/core/stats/index.js";
import type { Run } from "../../src/core/store/index.js";
import { exportArtifacts, VERSION } from "../../src/files/index.js";
import { openArtifact, ParquetArtifact, type OpenedArtifact } from "../../src/files/open/index.js";
import { different } from "../support/compare-values.js";
import { describeConformance } from "../support/conformance.js";
import { conformanceCases, replayCase } from "../support/replay.js";

const statisticsOf = (run: Run) => complete(runStatistics(run, { unitOf: familyUnit }));

function opened<K extends OpenedArtifact["kind"]>(artifact: OpenedArtifact, kind: K): OpenedArtifact & { kind: K } {
  if (artifact.kind !== kind) throw new Error(`${artifact.path} opened as ${artifact.kind}`);
  return artifact as OpenedArtifact & { kind: K };
}

/** Places where two values differ by more than the tolerance of the conformance data. */
function differences(ours: unknown, expected: unknown, path = ""): string[] {
  if (typeof ours === "object" && ours !== null && typeof expected === "object" && expected !== null) {
    const keys = new Set([...Object.keys(ours), ...Object.keys(expected)]);
    const at = (value: object, key: string) => (value as { readonly [key: string]: unknown })[key];
    return [...keys].flatMap((key) => differences(at(ours, key), at(expected, key), `${path}.${key}`));
  }
  return different(ours, expected) ? [`${path} is ${String(ours)} instead of ${String(expected)}`] : [];
}

/** Without what no artifact holds. */
function comparable(statistics: RunStatistics) {
  // What a Parquet carries of a restarted series has no intervals.
  const restarted = ({ stats }: SeriesResult) => "resets" in stats && stats.resets !== undefined;
  const shown = (result: SeriesResult) =>
    Object.fromEntries(
      Object.entries(result).filter(
        ([key]) => key !== "estimates" && key !== "seconds" && !(key === "intervals" && restarted(result)),
      ),
    );
  return {
    ...statistics,
    families: statistics.families.map((family) => ({ ...family, series: family.series.map(shown) })),
  };
}

describeConformance("opening what was written gives what was replayed", (directory) => {
  describe.each(conformanceCases(directory))("$name", (conformanceCase) => {
    let out: string;
    let again: string;
    let replayed: RunStatistics;
    const path = (format: ArtifactFormat) => join(out, artifactName(format));
    const text = (format: ArtifactFormat, folder = out) => readFile(join(folder, artifactName(format)), "utf8");

    beforeAll(async () => {
      out = await mkdtemp(join(tmpdir(), "server-metrics-open-"));
      again = await mkdtemp(join(tmpdir(), "server-metrics-again-"));
      const run = await replayCase(conformanceCase);
      replayed = statisticsOf(run);
      await exportArtifacts(run, { directory: out, formats: ARTIFACT_FORMATS, verify: false });
    });
    afterAll(() => Promise.all([out, again].map((folder) => rm(folder, { recursive: true, force: true }))));

    it.each(["jsonl", "parquet"] as const)("%s: all statistics, rates and endpoint information", async (format) => {
      const { run, benchmarkId, notices } = opened(await openArtifact(path(format)), "samples");
      expect(benchmarkId).toBe(replayed.benchmarkId);
      expect(notices.filter(({ severity }) => severity !== "info")).toEqual([]);
      expect(differences(comparable(statisticsOf(run)), comparable(replayed))).toEqual([]);
    });

    it("json and csv: as stored, and written again byte by byte", async () => {
      const json = opened(await openArtifact(path("json")), "statistics");
      expect([...writeJson(json.statistics, { version: VERSION })].join("")).toBe(await text("json"));
      const csv = opened(await openArtifact(path("csv")), "statistics");
      expect([...writeCsv(csv.statistics, { version: VERSION })].join("")).toBe(await text("csv"));
      expect([...writeCsv(json.statistics, { version: VERSION })].join("")).toBe(await text("csv"));
    });

    it("jsonl: written again, all formats of text are byte by byte the same", async () => {
      await exportArtifacts(opened(await openArtifact(path("jsonl")), "samples").run, {
        directory: again,
        formats: ["json", "csv", "jsonl"],
        verify: false,
      });
      for (const format of ["json", "csv", "jsonl"] as const)
        expect(await text(format, again), format).toBe(await text(format));
    });

    it("parquet: written again byte by byte, but for the time of export and the last digits of restarts", async () => {
      await exportArtifacts(opened(await openArtifact(path("parquet")), "samples").run, {
        directory: again,
        formats: ["parquet"],
        verify: false,
      });
      const [first, second] = await Promise.all(
        [out, again].map((folder) => readFile(join(folder, artifactName("parquet")), "latin1")),
      );
      // Samples of a restarted series come back as a difference from their reference, which rounds the last digit.
      const steady = (bytes = "") =>
        bytes
          .slice(0, -8)
          .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00/, "")
          .replace(/(?<=server_metrics\.resets\x18)[^[]*/, "")
          .replace(/\d+\.\d{9,}/g, (number) => Number(number).toPrecision(12));
      expect(steady(second) === steady(first)).toBe(true);
    });

    it("each finds the others by their benchmark id", async () => {
      for (const format of ARTIFACT_FORMATS) {
        const { siblings } = await openArtifact(path(format));
        expect(siblings.map((sibling) => sibling.format)).toEqual(
          (["jsonl", "parquet", "json", "csv"] as const).filter((other) => other !== format),
        );
      }
    });

    it("one family of a Parquet file is what it is in the whole", async () => {
      const artifact = await ParquetArtifact.open(path("parquet"));
      try {
        const families = await artifact.families();
        expect(families.map(({ name }) => name)).toEqual([...new Set(replayed.families.map(({ name }) => name))]);
        for (const { name } of families) {
          const run = await artifact.loadFamily(name);
          const expected = { ...replayed, families: replayed.families.filter((family) => family.name === name) };
          expect(differences(comparable(statisticsOf(run!)), comparable(expected)), name).toEqual([]);
        }
        expect(await artifact.loadFamily("no_such_family")).toBeUndefined();
      } finally {
        await artifact.close();
      }
    });
  });
});

describeConformance("the reference's files open and give what they carry", (directory) => {
  describe.each(conformanceCases(directory))("$name", (conformanceCase) => {
    const { expected } = conformanceCase;
    const file = (format: ArtifactFormat) =>
      join(expected, format === "parquet" ? artifactName(format) : `${artifactName(format)}.gz`);
    const reference = async () => JSON.parse(gunzipSync(await readFile(file("json"))).toString("utf8")) as Reference;

    it("json: every statistic and slice as stored", async () => {
      const { statistics, exporter } = opened(await openArtifact(file("json")), "statistics");
      const stored = parseExact(gunzipSync(await readFile(file("json"))).toString("utf8"));
      const ours = parseExact([...writeJson(statistics, { version: "" })].join(""));
      const pick = (value: unknown) => {
        const { metrics, summary } = value as {
          metrics: unknown;
          summary: { endpoint_info: unknown; endpoints_configured: unknown };
        };
        return { metrics: withoutNull(metrics), info: summary.endpoint_info, configured: summary.endpoints_configured };
      };
      expect(exporter).toBe("AIPerf 0.11.0");
      expect(differences(pick(ours), pick(stored))).toEqual([]);
    });

    it("csv: as many rows of statistics as the JSON has series", async () => {
      const { statistics } = opened(await openArtifact(file("csv")), "statistics");
      const { metrics } = await reference();
      for (const { name, series, type } of statistics.families) {
        if (name.endsWith("_info")) continue;
        expect([name, type, series.length]).toEqual([name, metrics[name]?.type, metrics[name]?.series.length]);
      }
      expect(statistics.families).toHaveLength(Object.keys(metrics).length);
    });

    it("parquet: what the scrapes inside its window give, with rates from the first sample inside", async () => {
      const { run, notices } = opened(await openArtifact(file("parquet")), "samples");
      expect(notices.map(({ reason }) => reason).join()).toContain(
        "rates are counted from the first sample inside the window",
      );
      // Its Parquet stops at the window's end.
      const window = {
        start: epochNs(conformanceCase.startNs),
        end: epochNs(conformanceCase.endNs),
        kind: "exact" as const,
      };
      const replayed = complete(runStatistics(await replayCase(conformanceCase), { window, unitOf: familyUnit }));
      const seriesOf = (statistics: RunStatistics) =>
        new Map(
          statistics.families.flatMap(({ name, series }) =>
            series.map((result) => [JSON.stringify([name, result.endpointUrl, result.labels]), result] as const),
          ),
        );
      const found = seriesOf(complete(runStatistics(run, { window, unitOf: familyUnit })));
      let rates = 0;
      for (const [key, expected] of seriesOf(replayed)) {
        const ours = found.get(key);
        // A restart is clamped away in its cells, and said nowhere.
        if ("resets" in expected.stats || "increase_count" in expected.stats) continue;
        expect(differences(withoutRates(ours), withoutRates(expected)), key).toEqual([]);
        if (ours === undefined || ours.kind === "gauge") continue;
        rates++;
        const [total, rate] =
          ours.kind === "counter"
            ? [ours.stats.total, ours.stats.rate]
            : [ours.stats.count, ours.stats.count_rate ?? 0];
        expect(different(rate, firstToLast(run, key) > 0 ? total / firstToLast(run, key) : 0), key).toBe(false);
      }
      expect(rates).toBeGreaterThan(0);
      expect(found.size).toBe(seriesOf(replayed).size);
    });

    it("jsonl: a series of every family but *_info, of the type it has", async () => {
      const { run } = opened(await openArtifact(file("jsonl")), "samples");
      const { metrics } = await reference();
      const names = new Set(run.store.families().map(({ name }) => name));
      expect(Object.keys(metrics).filter((name) => !names.has(name) && !name.endsWith("_info"))).toEqual([]);
      for (const { name, type } of run.store.families())
        if (metrics[name]?.type === "histogram") expect(type).toBe("histogram");
    });
  });
});

interface Reference {
  readonly metrics: {
    readonly [name: string]: {
      readonly type: string;
      readonly series: readonly {
        readonly endpoint_url: string;
        readonly labels?: object;
        readonly stats: { readonly [key: string]: number };
      }[];
    };
  };
}

/** What a file tells that does not tell its references' times; of gaps the reference drops those of +Inf. */
function withoutRates(result: SeriesResult | undefined) {
  if (result === undefined) return undefined;
  const { stats, slices } = result;
  const kept = Object.entries(stats).filter(([key]) => !["rate", "count_rate", "sum_rate", "gaps"].includes(key));
  return { stats: Object.fromEntries(kept), slices, buckets: result.kind === "histogram" ? result.buckets : undefined };
}

/** Seconds from a series' first sample inside the window to its last; the one before stands for its reference. */
function firstToLast(run: Run, key: string): number {
  const [name, url, labels] = JSON.parse(key) as [string, string, unknown];
  const series = [...run.store.seriesKeys()].find(
    (other) =>
      other.family.name === name &&
      other.endpointUrl === url &&
      JSON.stringify(other.labels) === JSON.stringify(labels),
  );
  const samples = run.store.read(series!.id);
  const times =
    samples.kind === "scalar"
      ? samples.times
      : Float64Array.from(samples.segments.flatMap((segment) => [...segment.times]));
  return ((times.at(-1) ?? 0) - (times[1] ?? 0)) / 1e9;
}

/** An absent statistic may stand as null. */
function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNull);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null)
      .map(([key, item]) => [key, withoutNull(item)]),
  );
}
