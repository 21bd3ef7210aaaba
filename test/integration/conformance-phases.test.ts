import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ARTIFACT_FORMATS, artifactName, parseExact } from "../../src/core/artifacts/index.js";
import type { RunStatistics } from "../../src/core/model/index.js";
import type { Json, JsonObject } from "../../src/core/text/index.js";
import { familyUnit } from "../../src/core/catalog/index.js";
import { statisticsByPhase } from "../../src/core/window/index.js";
import { complete } from "../../src/core/stats/index.js";
import { exportArtifacts } from "../../src/files/index.js";
import { openArtifact } from "../../src/files/open/index.js";
import { compareArtifact, comparePhase } from "../support/compare-artifacts.js";
import { different } from "../support/compare-values.js";
import { describeConformance } from "../support/conformance.js";
import { phaseCases, replayCase, warmupCases, type ConformanceCase } from "../support/replay.js";

async function exported(conformanceCase: ConformanceCase): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "server-metrics-phases-"));
  await exportArtifacts(await replayCase(conformanceCase), { directory, formats: ARTIFACT_FORMATS, verify: true });
  return directory;
}

const unpacked = async (path: string): Promise<JsonObject> => {
  const document: Json = parseExact(gunzipSync(await readFile(path)).toString("utf8"));
  return document as JsonObject;
};

describeConformance("a run with a warm-up is the reference's of schema 1.1", (directory) => {
  describe.each(warmupCases(directory))("$name", (conformanceCase) => {
    let out: string;
    beforeAll(async () => {
      out = await exported(conformanceCase);
    });
    afterAll(() => rm(out, { recursive: true, force: true }));

    it.each(ARTIFACT_FORMATS)("%s", async (format) => {
      const { compared, differences } = await compareArtifact(format, out, conformanceCase);
      expect(differences).toEqual([]);
      expect(compared).toBeGreaterThan(50);
    });

    it("every line of JSONL has the phase in which its scrape began", async () => {
      const lines = (await readFile(join(out, artifactName("jsonl")), "utf8")).trim().split("\n");
      const { warmup, startNs } = conformanceCase;
      let scrapes = 0;
      for (const line of lines) {
        const { endpoint_url: url, request_sent_ns: sent, benchmark_phase: phase } = parseExact(line) as JsonObject;
        if (url === "") continue;
        scrapes++;
        const began = BigInt(sent as bigint);
        const expected = began >= startNs ? "profiling" : began >= (warmup?.startNs ?? 0n) ? "warmup" : undefined;
        expect(phase).toBe(expected);
      }
      expect(scrapes).toBeGreaterThan(100);
    });
  });
});

describeConformance("named phases are the reference's, but for slices", (directory) => {
  describe.each(phaseCases(directory).filter(({ phases }) => phases !== undefined))("$name", (conformanceCase) => {
    let out: string;
    beforeAll(async () => {
      out = await exported(conformanceCase);
    });
    afterAll(() => rm(out, { recursive: true, force: true }));

    it("the manifest", async () => {
      const [ours, expected] = await Promise.all(
        [out, conformanceCase.expected].map((folder) => readFile(join(folder, "phase_manifest.json"), "utf8")),
      );
      expect(ours).toBe(expected);
    });

    it.each(conformanceCase.phases?.map(({ name }) => name) ?? [])("%s", async (name) => {
      const ours = parseExact(await readFile(join(out, "phases", name, "server_metrics.json"), "utf8")) as JsonObject;
      const expected = await unpacked(join(conformanceCase.expected, "phases", name, "server_metrics.json.gz"));
      const { compared, differences } = comparePhase(ours, expected);
      expect(differences).toEqual([]);
      expect(compared).toBeGreaterThan(200);
    });
  });
});

/** What is over slices, and our own estimates. */
const APART = /^rate_(avg|min|max|std)$|_(estimate|interval)$/;

function valuesOf(families: RunStatistics["families"], wanted: (name: string) => boolean): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  for (const { name, series } of families)
    for (const { endpointUrl, labels, stats } of series)
      for (const [key, value] of Object.entries(stats))
        if (wanted(name) && !APART.test(key) && typeof value === "number")
          values.set(`${endpointUrl} ${name} ${JSON.stringify(labels)} ${key}`, value);
  return values;
}

describeConformance("what the reference wrote opens with its phases apart", (directory) => {
  it.each(phaseCases(directory))("$name: its JSON and its tagged JSONL tell the same of each phase", async (given) => {
    const json = await openArtifact(join(given.expected, "server_metrics_export.json.gz"));
    const jsonl = await openArtifact(join(given.expected, "server_metrics_export.jsonl.gz"));
    if (json.kind !== "statistics" || jsonl.kind !== "samples") throw new Error("opened as another kind");
    expect(json.schemaVersion).toBe("1.1");
    expect(json.notices.filter(({ reason }) => reason.includes("not known"))).toEqual([]);
    expect(json.statistics.startNs).toBe(given.startNs);
    const read = complete(statisticsByPhase(jsonl.run, { unitOf: familyUnit }));
    // Another tool's JSONL has no info families, and does not tell a type that its values do not.
    const types = new Map(read.families.map(({ name, type }) => [name, type]));
    const shared = new Set(
      json.statistics.families.filter(({ name, type }) => types.get(name) === type).map((f) => f.name),
    );
    expect(shared.size).toBeGreaterThan(15);
    for (const part of ["profiling", "warmup"] as const) {
      const familiesOf = (from: RunStatistics) => (part === "warmup" ? (from.warmup?.families ?? []) : from.families);
      // Between two phases a gauge does not count, and a counter does.
      const [ours, expected] = [read, json.statistics].map((from) =>
        valuesOf(familiesOf(from), (name) => shared.has(name)),
      );
      expect(ours?.size).toBeGreaterThan(50);
      expect([...(ours?.keys() ?? [])].sort()).toEqual([...(expected?.keys() ?? [])].sort());
      const differing = [...(expected ?? [])].filter(([key, value]) => different(ours?.get(key), value));
      expect(differing).toEqual([]);
    }
  });
});
