import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { epochNs } from "../../src/core/model/index.js";
import { replayScrapeLog } from "../../src/files/index.js";
import { PairScores, SLOWER, type ServedPairs, type ServedRun } from "./served-pairs.js";

/** Runs of a workload as compare_coverage.py makes them. It would run if it were imported: its workloads are read. */
const SIMULATE = `
import ast, json, pathlib, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import served as g
source = ast.parse((pathlib.Path(sys.argv[1]) / "compare_coverage.py").read_text())
value = next(node.value for node in source.body if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "W")
workloads = eval(compile(ast.Expression(value), "compare_coverage.py", "eval"), dict(g=g))
out, seed, wanted, slower = pathlib.Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4], json.loads(sys.argv[5])
if not wanted: print(*workloads)
for i, (name, kw) in enumerate(workloads.items()):
    if name != wanted: continue
    for j, percent in enumerate(slower):
        factor = 1 + percent / 100
        k = dict(kw, base=kw.get("base", .012) * factor, slope=kw.get("slope", .014) * factor)
        lines, truth, (start, end) = g.run(seed + 100 * i + j, secs=130, **k)
        (out / f"{j}.jsonl").write_text("\\n".join(lines) + "\\n")
        (out / f"{j}.json").write_text(json.dumps(dict(start=str(start), end=str(end), truth=truth)))
`;

/**
 * Scores of the pairs that compare_coverage.py compares.
 *
 * @param directory of the scripts
 * @param wanted workloads; all of them where left out
 */
export async function scriptedPairs(
  directory: string,
  seeds: readonly number[],
  wanted?: readonly string[],
): Promise<ServedPairs> {
  const python = async (folder: string, seed: number, workload: string) => {
    const given = [directory, folder, String(seed), workload, JSON.stringify(SLOWER)];
    return (await promisify(execFile)("python3", ["-c", SIMULATE, ...given])).stdout;
  };
  const scores = new PairScores();
  const workloads = wanted ?? (await python("", 0, "")).trim().split(" ");
  for (const seed of seeds) {
    for (const workload of workloads) {
      const folder = await mkdtemp(join(tmpdir(), "pairs-"));
      try {
        await python(folder, seed, workload);
        scores.add(workload, await Promise.all(SLOWER.map((_, j) => readRun(join(folder, String(j))))));
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    }
  }
  return scores;
}

/** What the script wrote: a log of scrapes, and what was observed. */
async function readRun(path: string): Promise<ServedRun> {
  const { start, end, truth } = JSON.parse(readFileSync(`${path}.json`, "utf8")) as {
    start: string;
    end: string;
    truth: Record<string, { mean: number; p50: number; p90: number; p99: number }>;
  };
  const { run } = await replayScrapeLog(`${path}.jsonl`, {
    startNs: epochNs(BigInt(start)),
    endNs: epochNs(BigInt(end)),
    sliceDurationSeconds: 1,
  });
  // As the script does: numbers of tokens are what the load asks for, not what the server does.
  const latencies = Object.entries(truth).filter(
    ([family]) => !family.includes("tokens") || family.includes("per_output"),
  );
  return { run, truth: new Map(latencies) };
}
