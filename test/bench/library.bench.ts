import { link, mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  defaultColumns,
  orderOf,
  parseFilter,
  sorted,
  type LibraryChoice,
  type LibraryRun,
} from "../../src/core/library/index.js";
import { RunLibrary } from "../../src/engine/library.js";
import { exportArtifacts } from "../../src/files/index.js";
import { readLibrary } from "../../src/files/library/library.js";
import { distinct } from "../support/comparing.js";
import { RunBuilder } from "../support/run-builder.js";

/** Runs that differ; the others are links to their files. */
const VARIANTS = 10;
const FILTERS = [
  "nightly",
  "ttft.p99 < 500ms and tokens > 1",
  '"app:gauge_7 avg" > 2',
  "concurrency >= 16 or label ~ 3",
];

/**
 * A folder of many runs, as the command line and the panel list it:
 * `npm run bench -- library [--runs 1000] [--families 300] [--slices 100]`. Goals: the first
 * rows within 5 s without an index, within 0.5 s with one; a filter within 50 ms.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      runs: { type: "string", default: "1000" },
      families: { type: "string", default: "300" },
      slices: { type: "string", default: "100" },
    },
  });
  const [runs, families, slices] = [Number(values.runs), Number(values.families), Number(values.slices)];
  const folder = await mkdtemp(join(tmpdir(), "server-metrics-bench-library-"));
  process.env["XDG_CACHE_HOME"] = join(folder, "cache");
  process.env["XDG_DATA_HOME"] = join(folder, "data");
  try {
    const library = join(folder, "runs");
    await generate(library, runs, families, slices);
    await measured("first rows, no index", 5, (shown) => {
      const stop = new AbortController();
      let rows: readonly LibraryRun[] = [];
      const onProgress = (_: number, known: () => readonly LibraryRun[]) => {
        rows = known();
        shown();
        stop.abort();
      };
      return readLibrary(library, { signal: stop.signal, onProgress }).catch(() => rows);
    });
    await measured("all measured", undefined, () => readLibrary(library));
    const rows = await measured("first rows, with an index", 0.5, () => readLibrary(library));
    await measured("columns and order", undefined, () => {
      defaultColumns(rows);
      return Promise.resolve(sorted(rows, orderOf("-ttft.p99")));
    });
    for (const filter of FILTERS)
      await measured(`filter ${filter}`, 0.05, () => Promise.resolve(rows.filter(parseFilter(filter))));
    await panel(library);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What a page waits for: the engine's answer, as it goes to the page. */
async function panel(folder: string): Promise<void> {
  const library = new RunLibrary(folder, [], { onReading: () => undefined, onChange: () => undefined });
  const rows = async (choice: LibraryChoice) => structuredClone(await library.shown(choice)).rows;
  try {
    await measured("panel: first rows, with an index", 0.5, () => rows({}));
    for (const filter of FILTERS) await measured(`panel: filter ${filter}`, 0.05, () => rows({ filter }));
    await measured("panel: grouped", undefined, () => rows({ grouped: "repeats" }));
  } finally {
    await library.close();
  }
}

async function measured<Row>(
  what: string,
  goal: number | undefined,
  work: (shown: () => void) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const begun = performance.now();
  let first: number | undefined;
  const rows = await work(() => (first ??= performance.now()));
  const seconds = ((first ?? performance.now()) - begun) / 1000;
  const said = goal === undefined ? "" : `, goal ${goal} s${seconds <= goal ? "" : ": MISSED"}`;
  console.log(`${what}: ${seconds.toFixed(3)} s, ${rows.length} runs${said}`);
  return rows;
}

/** Runs of all formats: a third of the families are histograms. */
async function generate(library: string, runs: number, families: number, slices: number): Promise<void> {
  for (let v = 0; v < Math.min(VARIANTS, runs); v++) {
    const builder = new RunBuilder(1);
    for (let second = 0; second <= slices; second++)
      builder.scrape(second, [
        { name: "vllm:generation_tokens", type: "counter", labels: { model_name: "m" }, value: (50 + v) * second },
        histogram("vllm:time_to_first_token_seconds", second, 0.1 * (v + 1)),
        ...Array.from({ length: families - 2 }, (_, i) =>
          i % 3 === 0
            ? histogram(`app:histogram_${i}`, second, 0.2)
            : i % 3 === 1
              ? { name: `app:gauge_${i}`, value: i + v / 10 + Math.sin(second) }
              : { name: `app:counter_${i}`, type: "counter" as const, value: (i + v) * second },
        ),
      ]);
    const { run } = builder.window(0, slices);
    distinct(run).configure({
      label: `run ${v}`,
      concurrency: 2 ** (v % 6),
      provenance: { git: { commit: String(v).repeat(40) } },
    });
    const formats = ["json", "csv", "jsonl", "parquet"] as const;
    await exportArtifacts(run, { directory: join(library, `v${v}`), formats, verify: false });
  }
  for (let r = VARIANTS; r < runs; r++) {
    const directory = join(library, `run-${r}`);
    await mkdir(directory);
    const from = join(library, `v${r % VARIANTS}`);
    for (const name of await readdir(from)) await link(join(from, name), join(directory, name));
  }
  const files = await readdir(join(library, "v0"));
  const sizes = await Promise.all(
    files.map(async (name) => `${name} ${Math.round((await stat(join(library, "v0", name))).size / 1024)} KiB`),
  );
  console.log(`${runs} runs of ${families} families and ${slices} slices: ${sizes.join(", ")}`);
}

function histogram(name: string, second: number, value: number) {
  const count = 10 * second;
  const buckets = Object.fromEntries(
    [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5].map((bound) => [String(bound), bound >= value ? count : 0]),
  );
  return { name, labels: { model_name: "m" }, buckets: { ...buckets, "+Inf": count }, sum: value * count, count };
}
