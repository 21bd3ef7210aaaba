import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { epochNs, PERCENTILES, type QuantileEstimate } from "../../src/core/model/index.js";
import { endpointWindow, histogramStatistics, recordedWindow } from "../../src/core/stats/index.js";
import { replayScrapeLog } from "../../src/files/index.js";
import { SCORED } from "./quantile-errors.js";

/** Tests and benches run from the repository. */
const DEFAULT = "../shared/truth";

/** The folder of `served.py` (`TRUTH_DIR`, else `../shared/truth` beside the repository); undefined without it. */
export function truthDir(): string | undefined {
  const directory = process.env["TRUTH_DIR"] ?? DEFAULT;
  return existsSync(join(directory, "served.py")) ? directory : undefined;
}

export interface ServedQuantile {
  readonly run: string;
  /** Without the server's prefix. */
  readonly family: string;
  readonly q: number;
  readonly truth: number;
  readonly estimate: QuantileEstimate;
  /** Errors relative to the truth, or to the first bound where that is larger. */
  readonly error: number;
  readonly linear: number;
}

/** Does the 90 % interval hold what was observed? */
export function holdsTruth({ truth, estimate: { interval } }: ServedQuantile): boolean {
  const slack = 1e-9 * Math.abs(truth);
  return truth >= interval[0] - slack && truth <= interval[1] + slack;
}

const SIMULATE = `
import json, pathlib, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import served
out, names = pathlib.Path(sys.argv[2]), sys.argv[3:]
for j, (name, kw) in enumerate(served.SETS["public"].items()):
    if names and name not in names: continue
    lines, truth, (start, end) = served.run(1000 + j, **kw)
    folder = out / name
    folder.mkdir(parents=True)
    (folder / "scrapes.jsonl").write_text("\\n".join(lines) + "\\n")
    (folder / "truth.json").write_text(json.dumps(dict(start=str(start), end=str(end), truth=truth)))
    print(name)
`;

/** Simulates servers into an empty folder, all of the public ones or those named, and estimates what they observed. */
export async function servedQuantiles(
  truth: string,
  folder: string,
  names: readonly string[] = [],
): Promise<ServedQuantile[]> {
  const runs = execFileSync("python3", ["-c", SIMULATE, truth, folder, ...names], { encoding: "utf8" });
  const all: ServedQuantile[] = [];
  for (const run of runs.trim().split("\n")) all.push(...(await quantilesOf(join(folder, run), run)));
  return all;
}

/** Estimates of what recorded real servers observed, in families of 30 observations or more. */
export async function realQuantiles(truth: string): Promise<ServedQuantile[]> {
  const all: ServedQuantile[] = [];
  const runs = join(truth, "real", "vllm");
  for (const name of existsSync(runs) ? readdirSync(runs) : []) {
    const window = readFileSync(join(runs, name, "window.json"), "utf8");
    const known = JSON.parse(readFileSync(join(runs, name, "truth.json"), "utf8")) as Record<string, Known[]>;
    all.push(
      ...(await estimatesOf(
        join(runs, name, "scrapes.jsonl.gz"),
        name,
        [/"start_ns": *(\d+)/, /"end_ns": *(\d+)/].map((bound) => bound.exec(window)?.[1] ?? "0"),
        (family, labels) =>
          known[family]?.find(
            (one) => one.count >= 30 && labels.every(([label, value]) => (one.labels[label] ?? value) === value),
          ),
      )),
    );
  }
  return all;
}

interface Known extends Readonly<Record<string, unknown>> {
  readonly labels: Readonly<Record<string, string>>;
  readonly count: number;
}

async function quantilesOf(folder: string, name: string): Promise<ServedQuantile[]> {
  const { start, end, truth } = JSON.parse(readFileSync(join(folder, "truth.json"), "utf8")) as {
    start: string;
    end: string;
    truth: Record<string, Record<string, number>>;
  };
  return estimatesOf(join(folder, "scrapes.jsonl"), name, [start, end], (family) => truth[family]);
}

async function estimatesOf(
  log: string,
  name: string,
  [start = "0", end = "0"]: readonly string[],
  knownOf: (
    family: string,
    labels: readonly (readonly [string, string])[],
  ) => Readonly<Record<string, unknown>> | undefined,
): Promise<ServedQuantile[]> {
  const { run } = await replayScrapeLog(log, {
    startNs: epochNs(BigInt(start)),
    endNs: epochNs(BigInt(end)),
    sliceDurationSeconds: 5,
  });
  return [...run.store.seriesKeys()].flatMap(({ id, endpointUrl, family, labels }) => {
    const samples = run.store.read(id);
    const axis = run.store.endpoint(endpointUrl);
    const known = knownOf(family.name, labels);
    if (samples.kind !== "histogram" || axis === undefined || known === undefined) return [];
    const window = endpointWindow(run, axis, recordedWindow(run), 5);
    const estimates = histogramStatistics(samples, window, run.store.origin)?.estimates ?? [];
    const first = samples.segments[0]?.uppers.find((upper) => upper > 0) ?? 1;
    return SCORED.flatMap((q): ServedQuantile[] => {
      const estimate = estimates[PERCENTILES.findIndex((p) => p === q * 100)];
      const value = known[`p${q * 100}`];
      if (estimate === undefined || typeof value !== "number") return [];
      const scale = Math.max(value, first);
      return [
        {
          run: name,
          family: family.name.replace(/^.*:/, ""),
          q,
          truth: value,
          estimate,
          error: Math.abs(estimate.value - value) / scale,
          linear: Math.abs(estimate.linear - value) / scale,
        },
      ];
    });
  });
}
