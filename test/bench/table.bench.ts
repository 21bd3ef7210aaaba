import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { availableParallelism, cpus } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs, promisify } from "node:util";
import {
  better,
  fellBehind,
  median,
  Reported,
  type BenchResults,
  type BenchRow,
  type Measured,
  type RowResult,
  type Timing,
} from "./table/frame.js";
import { INPUTS_VARIABLE, temporaryFolder } from "./table/inputs.js";
import { comparisonLines, tableLines } from "./table/print.js";
import { ROWS } from "./table/rows.js";

const runFile = promisify(execFile);
const REPEATS = { quick: 3, whole: 5 } as const;
const MAX_TRIES = 5;

/**
 * The table of what must be fast: `npm run bench [-- --quick] [--only TEXT] [--json FILE] [--compare FILE]`. Each side
 * of a row runs in a process of its own; medians of five. `--quick` takes about a minute, leaves out what needs more,
 * and fails below half of a kept ratio, if that does not go away with further tries. `--json` keeps the results,
 * `--compare` shows what changed since such a file.
 */
export async function run(args: string[]): Promise<void> {
  if (args[0] === "inputs") return void (await rowOf(args[1]).inputs?.(Number(args[2])));
  if (args[0] === "measure")
    return measure(args.slice(1)).catch((error: unknown) => {
      console.error(error);
      // Servers that it started may still run, and would keep it.
      process.exit(1);
    });
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      json: { type: "string" },
      compare: { type: "string" },
    },
  });
  const { quick, only = "" } = values;
  const before = values.compare === undefined ? undefined : await readResults(values.compare);
  const chosen = ROWS.filter((row) => row.name.includes(only) && (!quick || row.quick !== undefined));
  if (chosen.length === 0) throw new Error(`no row is called like "${only}"; there are ${names()}`);
  const rows: RowResult[] = [];
  const failed: string[] = [];
  const inputs = await temporaryFolder();
  process.env[INPUTS_VARIABLE] = inputs;
  try {
    for (const row of chosen) {
      try {
        const result = await measuredRow(row, quick);
        rows.push(result);
        for (const line of tableLines(result)) process.stdout.write(`${line}\n`);
      } catch (error) {
        // The others have taken half an hour, or will.
        failed.push(row.name);
        process.stdout.write(`${row.name}\n  not measured: ${causeOf(error)}\n`);
      }
    }
  } finally {
    await rm(inputs, { recursive: true, force: true });
  }
  const results: BenchResults = {
    date: new Date().toISOString(),
    commit: await commit(),
    machine: `${cpus()[0]?.model ?? "unknown processor"}, ${availableParallelism()} cores, Node ${process.version}`,
    quick,
    rows,
  };
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(results, undefined, 2)}\n`);
  if (before !== undefined) for (const line of comparisonLines(before, results)) process.stdout.write(`${line}\n`);
  if (failed.length > 0) throw new Error(`not measured: ${failed.join("; ")}`);
  const behind = rows.filter(fellBehind).map(({ name }) => name);
  if (behind.length > 0) throw new Error(`below half of the ratio that is kept: ${behind.join("; ")}`);
}

/**
 * A quick run counts as behind only when it stays so: what else the machine does slows either side at any time, so the
 * best of each side counts, of as many tries as it takes up to MAX_TRIES.
 */
async function measuredRow(row: BenchRow, quick: boolean): Promise<RowResult> {
  let best = await measuredOnce(row, quick);
  for (let tries = 1; quick && fellBehind(best) && tries < MAX_TRIES; tries++)
    best = better(best, await measuredOnce(row, quick));
  return best;
}

async function measuredOnce(row: BenchRow, quick: boolean): Promise<RowResult> {
  const scale = (quick ? row.quick : row.scale) ?? 1;
  const repeats = quick ? REPEATS.quick : REPEATS.whole;
  await makeInputs(row, scale);
  const ours = await inProcess(row, "ours", scale, repeats);
  const anchor = row.anchor === undefined ? undefined : await inProcess(row, "anchor", scale, repeats);
  const growth: { scale: number; work: string; ours: Measured }[] = [];
  for (const size of quick ? [] : (row.growth ?? [])) {
    await makeInputs(row, size);
    const grown = size === scale ? ours : await inProcess(row, "ours", size, 1);
    growth.push({ scale: size, work: row.work(size), ours: grown });
  }
  return {
    name: row.name,
    work: row.work(scale),
    ours,
    ...(anchor === undefined || row.anchor === undefined
      ? {}
      : { anchor: { name: row.anchor.name, ...anchor }, ratio: anchor.cpuSeconds / ours.cpuSeconds }),
    ...(row.keeps === undefined ? {} : { keeps: row.keeps }),
    ...(row.goal === undefined || quick ? {} : { goal: row.goal }),
    ...(growth.length === 0 ? {} : { growth }),
  };
}

type Side = "ours" | "anchor";

interface Answer {
  readonly timings: readonly Timing[];
  readonly peakBytes: number;
  readonly pauseSeconds: number;
  readonly note?: string;
}

async function makeInputs(row: BenchRow, scale: number): Promise<void> {
  if (row.inputs === undefined) return;
  await child(["inputs", row.name, String(scale)]);
}

/** What others left in memory, and what was compiled for them, does not count. */
async function inProcess(row: BenchRow, side: Side, scale: number, repeats: number): Promise<Measured> {
  const each = row.cold === true || row.once === true ? 1 : repeats;
  const answers: Answer[] = [];
  while (answers.length * each < (row.once === true ? 1 : repeats)) {
    const stdout = await child(["measure", row.name, side, String(scale), String(each)]);
    answers.push(JSON.parse(stdout.slice(stdout.lastIndexOf("\n{") + 1)) as Answer);
  }
  const note = answers.at(-1)?.note;
  const timings = answers.flatMap((answer) => answer.timings);
  return {
    seconds: median(timings.map(({ seconds }) => seconds)),
    cpuSeconds: median(timings.map(({ cpuSeconds }) => cpuSeconds)),
    peakBytes: Math.max(...answers.map(({ peakBytes }) => peakBytes)),
    pauseSeconds: median(answers.map(({ pauseSeconds }) => pauseSeconds)),
    ...(note === undefined ? {} : { note }),
  };
}

/**
 * This script again, in a process of its own and with temporary files of its own: another bench may run.
 * @returns what it prints
 */
async function child(args: readonly string[]): Promise<string> {
  const folder = await temporaryFolder();
  const env = { ...process.env, TMPDIR: folder, TEMP: folder, TMP: folder };
  try {
    return (await runFile(process.execPath, ["--expose-gc", process.argv[1] ?? "", ...args], { env })).stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What a child process printed of its error says more than that it failed. */
function causeOf(error: unknown): string {
  const printed = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
  return printed !== "" ? printed : error instanceof Error ? error.message : String(error);
}

async function measure([name, side, scale, repeats]: readonly string[]): Promise<void> {
  const row = rowOf(name);
  const task = side === "anchor" ? row.anchor?.task : row.ours;
  if (task === undefined) throw new Error(`the row "${row.name}" has no anchor`);
  const work = await task(Number(scale));
  const timings: Timing[] = [];
  let reported: Reported | undefined;
  const delay = monitorEventLoopDelay({ resolution: 2 });
  // What V8 compiles at first, beside the timings and in threads of its own, is a cold row's only.
  if (row.cold !== true && row.once !== true) await work();
  for (let i = 0; i < Number(repeats); i++) {
    globalThis.gc?.();
    delay.enable();
    const cpu = process.cpuUsage();
    const start = performance.now();
    const result = await work();
    reported = result instanceof Reported ? result : undefined;
    const seconds = (performance.now() - start) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    // The last turn is only seen once the loop goes round.
    await new Promise((resolve) => setTimeout(resolve, 5));
    delay.disable();
    const { figures } = reported ?? {};
    timings.push({
      seconds: figures?.seconds ?? seconds,
      cpuSeconds: figures?.cpuSeconds ?? (user + system) / 1e6,
    });
  }
  const answer: Answer = {
    timings,
    peakBytes: reported?.figures.peakBytes ?? process.resourceUsage().maxRSS * 1024,
    pauseSeconds: reported?.figures.pauseSeconds ?? delay.max / 1e9,
    ...(reported === undefined ? {} : { note: reported.note }),
  };
  process.stdout.write(`\n${JSON.stringify(answer)}\n`, () => process.exit(0));
}

async function readResults(path: string): Promise<BenchResults> {
  const results = JSON.parse(await readFile(path, "utf8")) as Partial<BenchResults>;
  const { date, commit: of, machine, quick, rows } = results;
  if (date === undefined || of === undefined || machine === undefined || quick === undefined || rows === undefined)
    throw new Error(`${path} holds no results of this table: it was not written by bench -- --json FILE`);
  return { date, commit: of, machine, quick, rows };
}

async function commit(): Promise<string> {
  const { stdout } = await runFile("git", ["rev-parse", "--short", "HEAD"]).catch(() => ({ stdout: "unknown" }));
  return stdout.trim();
}

function rowOf(name: string | undefined): BenchRow {
  const row = ROWS.find((candidate) => candidate.name === name);
  if (row === undefined) throw new Error(`there is no row "${name ?? ""}"; there are ${names()}`);
  return row;
}

function names(): string {
  return ROWS.map(({ name }) => `"${name}"`).join(", ");
}
