import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { familyUnit } from "../../../src/core/catalog/index.js";
import { clientServer } from "../../../src/core/client/index.js";
import { labelKey, type RunStatistics } from "../../../src/core/model/index.js";
import { complete } from "../../../src/core/stats/index.js";
import { statisticsByPhase } from "../../../src/core/window/index.js";
import { openArtifact } from "../../../src/files/open/index.js";
import { describeReal } from "../../support/real-runs.js";

const JSON_FILE = "server_metrics_export.json";
const JSONL_FILE = "server_metrics_export.jsonl.gz";
const PARQUET_FILE = "server_metrics_export.parquet";

async function opened(path: string) {
  const artifact = await openArtifact(path);
  if (artifact.kind === "snapshot") throw new Error(`${path} is no run`);
  const statistics =
    artifact.kind === "statistics"
      ? artifact.statistics
      : complete(statisticsByPhase(artifact.run, { unitOf: familyUnit }));
  return { notices: artifact.notices.map(({ reason }) => reason), statistics, numbers: numbersOf(statistics) };
}

/** Every number of a run but our own estimates of percentiles. JSONL and CSV have no info families. */
function numbersOf({ families }: RunStatistics): ReadonlyMap<string, number> {
  return new Map(
    families
      .filter(({ name }) => !name.endsWith("_info"))
      .flatMap(({ name, series }) =>
        series.flatMap(({ labels, stats, ...rest }) => [
          ...Object.entries(stats).flatMap(([key, value]) =>
            typeof value === "number" && !/_(?:estimate|interval)$/.test(key)
              ? [[`${name} ${labelKey(labels)} ${key}`, value] as const]
              : [],
          ),
          ...("buckets" in rest ? (rest.buckets ?? []) : []).map(
            ([bound, count]) => [`${name} ${labelKey(labels)} up to ${bound}`, count] as const,
          ),
        ]),
      ),
  );
}

/** What one file has otherwise than the other. @param digits after the point that a file keeps */
function differing(numbers: ReadonlyMap<string, number>, truth: ReadonlyMap<string, number>, digits = 9) {
  return [...truth].flatMap(([key, value]) => {
    const other = numbers.get(key) ?? NaN;
    // The deviation of a constant is what rounding leaves.
    return Math.abs(other - value) <= 0.51 * 10 ** -digits + 1e-9 * Math.abs(value) || /start_time.* std$/.test(key)
      ? []
      : [`${key}: ${value}, not ${other}`];
  });
}

describeReal("AIPerf's own folder", (directory) => {
  const folder = join(directory, "aiperf", "aip8", "aiperf");
  let alone: string;
  beforeAll(async () => {
    alone = await mkdtemp(join(tmpdir(), "server-metrics-aiperf-"));
  });
  afterAll(() => rm(alone, { recursive: true, force: true }));

  it.each([
    [JSONL_FILE, 9],
    [PARQUET_FILE, 9],
    ["server_metrics_export.csv", 4],
  ])("has the numbers of its JSON in %s", async (file, digits) => {
    const [json, other] = [await opened(join(folder, JSON_FILE)), await opened(join(folder, file))];
    expect(json.numbers.get('vllm:generation_tokens [["engine","0"],["model_name","tiny"]] total')).toBe(5861);
    expect(json.numbers.size).toBeGreaterThan(700);
    expect(differing(other.numbers, json.numbers, digits)).toEqual([]);
    expect(other.notices.join()).not.toMatch(/[Uu]nknown field/);
  });

  // AIPerf leaves out scrapes of the same values: the first of a phase may be one, before a late one of the warm-up.
  it("has them in a JSONL that lacks the first scrape tagged as the phase's", async () => {
    const copy = join(alone, "first");
    await cp(folder, copy, { recursive: true });
    const text = gunzipSync(await readFile(join(copy, JSONL_FILE))).toString();
    const later = text.replace(/"benchmark_phase": ?"profiling".*$/m, '"benchmark_phase":"warmup"}');
    expect(later.length).toBeLessThan(text.length);
    await writeFile(join(copy, JSONL_FILE), gzipSync(later));
    const json = await opened(join(copy, JSON_FILE));
    expect(differing((await opened(join(copy, JSONL_FILE))).numbers, json.numbers)).toEqual([]);
  });

  it("says where requests of a phase are in no scrape that is tagged as its", async () => {
    const before = (await opened(join(folder, JSON_FILE))).notices.join();
    expect(before).not.toMatch(/Phase profiling/);
    for (const name of [JSON_FILE, "phase_manifest.json", "phases"])
      await cp(join(folder, name), join(alone, "cut", name), { recursive: true });
    const manifest = await readFile(join(folder, "phase_manifest.json"), "utf8");
    await writeFile(join(alone, "cut", "phase_manifest.json"), manifest.replaceAll(/: 150,/g, ": 168,"));
    expect((await opened(join(alone, "cut", JSON_FILE))).notices.join()).toMatch(
      /had 150 observations, but 168 requests of the load generator succeeded\. The other 18 ended before/,
    );
  });

  it("says that the client's tokens are other ones than the server's", async () => {
    const { statistics } = await opened(join(folder, JSON_FILE));
    const row = clientServer(statistics).find(({ metric }) => metric === "inter-token-latency");
    expect(row?.share).toBeLessThan(-0.2);
    expect(row?.note).toMatch(/^The client's tokenizer counts 26 % more tokens than the server/);
  });

  it("has its JSONL go by the tags where nothing lies beside it, and its Parquet by time", async () => {
    for (const file of [JSONL_FILE, PARQUET_FILE]) await cp(join(folder, file), join(alone, `alone_${file}`));
    const [json, jsonl, parquet] = [
      await opened(join(folder, JSON_FILE)),
      await opened(join(alone, `alone_${JSONL_FILE}`)),
      await opened(join(alone, `alone_${PARQUET_FILE}`)),
    ];
    const counts = (numbers: ReadonlyMap<string, number>) =>
      new Map([...numbers].filter(([key]) => /^vllm:.* (?:total|count|sum|count_rate|up to .*)$/.test(key)));
    expect(counts(json.numbers).size).toBeGreaterThan(100);
    expect(differing(jsonl.numbers, counts(json.numbers))).toEqual([]);
    expect(parquet.numbers.get('vllm:generation_tokens [["engine","0"],["model_name","tiny"]] total')).toBe(5862);
    expect(parquet.notices.join()).toMatch(/which scrapes are the warm-up's/);
  });
});
