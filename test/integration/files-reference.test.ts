import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isFields } from "../../src/core/text/index.js";
import { CLI, runCli } from "../support/cli.js";
import { query } from "../support/duckdb.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const jq = path.join(root, "test/support/jq.mjs");
/** Has pandas and pyarrow, if any has. */
const python = process.env["PYTHON"] ?? "python3";
const run = promisify(execFile);

interface Example {
  readonly section: string;
  readonly language: "sh" | "python" | "sql";
  readonly code: string;
}

describe("the examples of docs/files.md", async () => {
  const text = await readFile(path.join(root, "docs/files.md"), "utf8");
  const examples = text.split(/^## /m).flatMap((part): Example[] => {
    const [section = ""] = part.split("\n");
    return [...part.matchAll(/^```(sh|python|sql)\n(.*?)^```$/gms)].map(([, language, code = ""]) => ({
      section,
      language: language === "sh" || language === "python" ? language : "sql",
      code,
    }));
  });
  const hasJq = await run("jq", ["--version"]).then(
    () => true,
    () => false,
  );
  const hasPandas = await run(python, ["-c", "import pandas, pyarrow"]).then(
    () => true,
    () => false,
  );
  let folder: string;
  let average: number;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "server-metrics-files-"));
    const log = path.join(folder, "log.jsonl");
    const recorded = await runCli(["demo", "--record", log, "--scenario", "restart", "--duration", "60"]);
    expect(recorded.code, recorded.stderr).toBe(0);
    const formats = ["--formats", "json,csv,jsonl,parquet"];
    const replayed = await runCli(["replay", log, "--out", folder, "--window", "all", ...formats]);
    expect(replayed.code, replayed.stderr).toBe(0);
    // By hand, from what the server exposed.
    const values = [...(await readFile(log, "utf8")).matchAll(/\\nvllm:num_requests_running\{.*?\} ([\d.]+)\\n/g)];
    average = values.reduce((sum, [, value]) => sum + Number(value), 0) / values.length;
    expect(values.length).toBeGreaterThan(100);
  }, 60_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("are one of each kind for each format", () => {
    expect(examples.map(({ section, language }) => `${section} ${language}`)).toEqual(
      ["JSON", "CSV", "JSONL", "Parquet"].flatMap((format) => ["sh", "python", "sql"].map((one) => `${format} ${one}`)),
    );
  });

  for (const { section, language, code } of examples)
    it(`read the average of a gauge from ${section} by ${language}`, async ({ skip }) => {
      // The stand-in takes minutes for a file of megabytes.
      if (language === "sh" && !hasJq && code.includes(".jsonl")) skip("there is no jq");
      if (language === "python" && !hasPandas) skip(`${python} has no pandas and pyarrow (PYTHON names another)`);
      expect(Math.abs((await outputOf(language, code)) - average)).toBeLessThan(1e-4);
    });

  async function outputOf(language: Example["language"], code: string): Promise<number> {
    if (language === "sql") {
      const rows = await query(code.replaceAll("'server_metrics_export", `'${folder}/server_metrics_export`));
      expect(rows).toHaveLength(1);
      return Number(Object.values(rows[0] ?? {})[0]);
    }
    const program = language === "python" ? python : "bash";
    const standIn = hasJq ? "" : `jq() { "${process.execPath}" "${jq}" "$@"; }\n`;
    const tools = `${standIn}server-metrics() { "${process.execPath}" "${CLI}" "$@"; }\n`;
    const { stdout } = await run(program, ["-c", language === "python" ? code : tools + code], { cwd: folder });
    return Number(stdout);
  }

  it("stand beside the names of all that the files have", async () => {
    const names = new Set<string>();
    const artifact = (format: string) => readFile(path.join(folder, `server_metrics_export.${format}`), "utf8");
    // Below these, names are the server's or the user's.
    const open = new Set(["metrics", "labels", "buckets", "input_config", "metadata", "endpoint_info"]);
    const collect = (value: unknown): void => {
      if (Array.isArray(value)) return value.forEach(collect);
      if (typeof value !== "object" || value === null) return;
      for (const [name, inner] of Object.entries(value)) {
        names.add(name.replace(/^p\d+_/, "p99_"));
        if (!open.has(name)) collect(inner);
        else if ((name === "metrics" || name === "endpoint_info") && isFields(inner))
          Object.values(inner).forEach(collect);
      }
    };
    collect(JSON.parse(await artifact("json")));
    for (const line of (await artifact("jsonl")).trimEnd().split("\n")) collect(JSON.parse(line));
    const parquet = `'${folder}/server_metrics_export.parquet'`;
    for (const { key } of await query(`select decode(key) as key from parquet_kv_metadata(${parquet})`))
      if (String(key) !== "ARROW:schema") names.add(String(key).replace(/^\w+\./, ""));
    expect(names.size).toBeGreaterThan(60);
    expect([...names].filter((name) => !new RegExp(`[\`.]${name}\\b`).test(text))).toEqual([]);
  });

  it("say what the files say of a counter that restarted", async () => {
    const json: unknown = JSON.parse(await readFile(path.join(folder, "server_metrics_export.json"), "utf8"));
    expect(json).toMatchObject({
      metrics: {
        "vllm:generation_tokens": {
          series: [{ stats: { total: 6799, resets: 1, increase: 87291 }, increases: { stats: { total: 87291 } } }],
        },
      },
    });
    const [resets] = await query(
      `select decode(value) as text from parquet_kv_metadata('${folder}/server_metrics_export.parquet') where key = 'server_metrics.resets'`,
    );
    expect(String(resets?.["text"]).includes('"increase":87291')).toBe(true);
  });
});
