import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ARTIFACT_FORMATS } from "../../src/core/artifacts/index.js";
import { exportArtifacts } from "../../src/files/index.js";
import { exposition } from "../support/faulty-server.js";
import { variedScrapes, writeJournal } from "../support/journals.js";
import { RunBuilder } from "../support/run-builder.js";
import type { TargetName } from "./targets.js";

export type Seeds = Record<TargetName, Uint8Array[]>;
/** Longer ones make the executions slow, and find no more. */
const LONGEST_SEED = 24 * 1024;

/** Own files of every format, the findings of before, and where it is present what the conformance suites hold. */
export async function seedsIn(folder: string): Promise<Seeds> {
  const seeds: Seeds = { exposition: [], jsonl: [], json: [], csv: [], parquet: [], journal: [] };
  for (const running of [1, 12]) seeds.exposition.push(Buffer.from(exposition(running)));
  seeds.exposition.push(Buffer.from(OPENMETRICS));
  const files = await exportArtifacts(varied(), { directory: folder, formats: ARTIFACT_FORMATS, verify: false });
  for (const { format, path } of files) {
    const bytes = await readFile(path);
    if (format !== "openmetrics") seeds[format].push(bytes);
    if (format === "jsonl") seeds.jsonl.push(bytes.subarray(0, bytes.indexOf(0x0a, 2000) + 1));
  }
  const journal = join(folder, "seed-journal.jsonl.gz");
  await writeJournal(journal, variedScrapes(24), 4);
  seeds.journal.push(await readFile(journal));
  await addConformance(seeds);
  return seeds;
}

async function addConformance(seeds: Seeds): Promise<void> {
  const suite = join(process.env["CONFORMANCE_DIR"] ?? "../shared/conformance", "openmetrics");
  for (const file of await readdir(suite, { recursive: true }).catch(() => []))
    if (/(metrics|\.txt|\.prom)$/.test(file)) {
      const bytes = await readFile(join(suite, file)).catch(() => undefined);
      if (bytes !== undefined && bytes.length > 0 && bytes.length < LONGEST_SEED) seeds.exposition.push(bytes);
    }
}

function varied() {
  const builder = new RunBuilder(2);
  for (let i = 0; i < 8; i++)
    builder.scrape(
      i,
      i === 4
        ? "failed"
        : i === 5
          ? "duplicate"
          : [
              { name: "requests", type: "counter", labels: { model: 'a,"b"\n=1' }, value: 3 * i },
              { name: "running", labels: { model: "\u00fc" }, value: Math.sin(i) * 1e3 },
              { name: "mystery", type: "unknown", value: i },
              {
                name: "latency_seconds",
                buckets: { "0.5": i, "1.0": 2 * i, "+Inf": 3 * i },
                sum: i * 1.7,
                count: 3 * i,
              },
              { name: "build_info", labels: { version: "1.2" }, value: 1 },
            ],
    );
  return builder.window(1, 7).run;
}

const OPENMETRICS = `# HELP rpc Calls.
# TYPE rpc counter
# UNIT rpc seconds
rpc_total{a="b\\"c\\n"} 17.0 1520879607.789 # {trace_id="x"} 0.67 1520879607.789
rpc_created{a="b"} 1520430000.123
# TYPE h histogram
h_bucket{le="0.1"} 1
h_bucket{le="+Inf"} 3
h_sum 1.5
h_count 3
# TYPE g gaugehistogram
g_bucket{le="+Inf"} 3
g_gcount 3
g_gsum 2
# TYPE build info
build_info{version="1"} 1
# TYPE mode stateset
mode{mode="a"} 1
mode{mode="b"} 0
{"quoted.name","label.x"="y"} 4
# EOF
`;
