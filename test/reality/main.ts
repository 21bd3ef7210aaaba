import { mkdir, readFile, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { unlistedFamilies } from "../support/catalog-diff.js";
import { CLIENT } from "../../src/core/client/index.js";
import type { ExperimentStatus } from "../../src/core/experiment/index.js";
import { loadWindowOf } from "../../src/core/model/index.js";
import { formatOfContentType, ExpositionParser } from "../../src/core/exposition/index.js";
import { AIPERF, type LoadGenerator } from "./loads.js";
import {
  birthsOf,
  counted,
  differing,
  findingsOf,
  percent,
  percentileErrors,
  processorSeconds,
  requestsOf,
  rolesIn,
  runOf,
  scrapesOf,
  statisticsOf,
  toldBy,
  type Estimated,
  type Outcome,
} from "./measured.js";
import { TOOLS, Workshop, type Server } from "./programs.js";
import { compatibility, FAILED, type ServerReport } from "./report.js";
import { ownFolder, SERVERS, type RealServer } from "./servers.js";

/** Of AIPerf's JSON. */
interface AiperfPhases {
  readonly summary: {
    readonly phase_time_ranges: {
      readonly warmup?: { readonly end_ns: number };
      readonly profiling: { readonly start_ns: number };
    };
  };
}

const INTERVAL_MS = 333;
const COST_SCRAPES = 200;
/** A scrape that costs the server more of a core, at the usual interval, is worth a warning. */
const COSTLY = 0.05;

/**
 * Runs every real server in turn with every load generator, and writes docs/compatibility.md.
 * @param root the project's
 * @throws Error for unknown options; what does not start is a line in the report
 */
export async function run(root: string, args: readonly string[]): Promise<void> {
  const { only, folder } = optionsOf(root, args);
  const workshop = new Workshop(root, folder);
  await mkdir(folder, { recursive: true });
  const problems = new Map<string, string>();
  for (const tool of TOOLS) {
    say(`installing ${tool}`);
    await workshop.install(tool).catch((error: unknown) => void problems.set(tool, reasonOf(error)));
  }
  await workshop.makeModel().catch((error: unknown) => void problems.set("model", reasonOf(error)));
  const reports: ServerReport[] = [];
  for (const server of SERVERS.filter(({ id }) => only.length === 0 || only.includes(id)))
    reports.push(await reportOf(workshop, server, problems));
  const text = compatibility(reports, new Date());
  await writeFile(join(root, "docs/compatibility.md"), text);
  say(text);
  if (text.includes(FAILED)) process.exitCode = 1;
}

function optionsOf(root: string, args: readonly string[]) {
  let folder = join(root, ".cache/reality");
  let only: readonly string[] = [];
  for (let i = 0; i < args.length; i += 2) {
    const [name, value] = args.slice(i);
    if (name === "--folder" && value !== undefined) folder = resolve(value);
    else if (name === "--only" && value !== undefined) only = value.split(",");
    else
      throw new Error(
        "npm run reality [-- --only vllm,vllm-short-batch,dynamo,dynamo-disaggregated,llama-cpp] [--folder DIR]",
      );
  }
  return { folder, only };
}

/** @param problems of tools and the model that could not be installed, by name */
async function reportOf(
  workshop: Workshop,
  server: RealServer,
  problems: ReadonlyMap<string, string>,
): Promise<ServerReport> {
  const problem = problems.get("model") ?? problems.get(server.tool);
  const about = { name: server.name, version: await versionOf(workshop, server) };
  if (problem !== undefined) return { ...about, problem, outcomes: [] };
  say(`starting ${server.name}`);
  const truth = await workshop.place(`${server.id}-truth`);
  let started: readonly Server[] = [];
  try {
    started = await server.start(workshop, truth);
  } catch (error) {
    return { ...about, problem: reasonOf(error), outcomes: [] };
  }
  try {
    const outcomes: Outcome[] = [];
    const estimates: (readonly Estimated[])[] = [];
    for (const load of server.loads) {
      say(`${server.name} with ${load.name}`);
      const missing = problems.get(load.tool);
      const running =
        missing === undefined
          ? underLoad(workshop, server, load, truth, estimates)
          : Promise.reject(new Error(missing));
      const result = await running.catch((error: unknown) => [
        { check: "run", result: reasonOf(error).replaceAll(workshop.folder, "…"), holds: false },
      ]);
      const version = await versionOf(workshop, load);
      outcomes.push(...result.map((one) => ({ ...one, check: `${load.name} ${version}: ${one.check}` })));
    }
    if (server.id === "vllm" && !problems.has("aiperf")) outcomes.push(await experimentOn(workshop, server));
    const families = await familiesOf(server.metrics);
    const cost = started[0] === undefined ? [] : [await costOf(started[0], server.metrics[0] ?? "")];
    return { ...about, ...families, estimates, outcomes: [...outcomes, ...cost] };
  } finally {
    for (const one of started) await one.stop();
  }
}

async function underLoad(
  workshop: Workshop,
  server: RealServer,
  load: LoadGenerator,
  truth: string,
  estimates: (readonly Estimated[])[],
): Promise<readonly Outcome[]> {
  const place = await workshop.place(`${server.id}-${load.tool}-${load.package}`);
  const client = ownFolder(place);
  await mkdir(client);
  await wait(3000);
  await workshop.finish(
    process.execPath,
    [
      join(workshop.root, "dist/cli.js"),
      "capture",
      ...server.metrics.flatMap((url) => ["--url", url]),
      ...["--out", join(place, "ours"), "--formats", "json,csv,jsonl,parquet", "--interval", `${INTERVAL_MS}ms`],
      "--",
      ...load.command(workshop, server.port, client),
    ],
    `${server.id}-${load.name.replaceAll(" ", "-")}`,
    place,
  );
  const ours = (ending: string) => join(place, "ours", `server_metrics_export.${ending}`);
  const { statistics, clients } = await statisticsOf(ours("json"), load.told === undefined ? client : undefined);
  const told = (await load.told?.(client)) ?? toldBy(clients);
  const run = await runOf(ours("jsonl"));
  const findings = findingsOf(run, server.findings);
  // Only of its first load is a server fresh.
  if (server.logs) estimates.push(await percentileErrors(statistics, truth));
  const births =
    load === server.loads[0] && load.sent !== undefined ? [birthsOf(run, server.finished, load.sent, told)] : [];
  return [
    ...requestsOf(statistics, server.finished, told, INTERVAL_MS),
    scrapesOf(statistics, INTERVAL_MS),
    ...(server.metrics.length > 1
      ? [{ check: "roles", result: rolesIn(statistics), holds: !rolesIn(statistics).includes("none") }]
      : []),
    findings,
    ...births,
    ...(load.tool === "aiperf" ? await aiperfFolder(workshop, server, client, ours) : []),
  ];
}

/** AIPerf's own files of the same run: one number in all of them, the same as ours; and its models read ours. */
async function aiperfFolder(
  workshop: Workshop,
  server: RealServer,
  folder: string,
  ours: (ending: string) => string,
): Promise<Outcome[]> {
  const path = join(folder, "server_metrics_export.json");
  const outcomes: Outcome[] = [];
  if (existsSync(path)) {
    const { statistics: json } = await statisticsOf(path);
    for (const ending of ["jsonl", "parquet"]) {
      const other = join(folder, `server_metrics_export.${ending}`);
      const { compared, differ } = differing((await statisticsOf(other)).statistics, json);
      const result = `${differ} of ${compared} totals differ`;
      outcomes.push({ check: `its own ${ending} against its JSON`, result, holds: differ === 0 && compared > 0 });
    }
    const { statistics } = await statisticsOf(ours("json"));
    const { compared, differ } = differing(statistics, json);
    const mayBeOff = loadWindowOf(statistics.inputConfig)?.mayBeOff ?? 0;
    const [own, client] = [
      counted(json, server.finished).total,
      counted(json, { family: CLIENT.requests, each: 1 }).total,
    ];
    // Where a scrape that it tags as the warm-up's comes after profiling has begun, its own lack parts of requests.
    const { summary } = JSON.parse(await readFile(path, "utf8")) as AiperfPhases;
    const { warmup, profiling } = summary.phase_time_ranges;
    const isLate = warmup !== undefined && warmup.end_ns > profiling.start_ns;
    const isWhole = counted(statistics, server.finished).total === client;
    outcomes.push({
      check: "counts and sums, ours against its own",
      result: `${differ} of ${compared} differ${isLate ? ", of which its warm-up has a part" : ""}; its own have ${own} of its ${client} requests`,
      holds: compared > 0 && (differ === 0 || (isLate && isWhole) || mayBeOff > 0),
    });
  }
  const read = await workshop
    .finish(
      workshop.program("aiperf", "python"),
      [workshop.script("aiperf_models.py"), ours("json"), ours("jsonl")],
      "models",
    )
    .then((text) => ({ result: text.trim(), holds: true }))
    .catch((error: unknown) => ({ result: reasonOf(error), holds: false }));
  return [...outcomes, { check: "its data models read our files", ...read }];
}

/** An experiment of one server under its two names, with AIPerf as its load: neither name is better. */
async function experimentOn(workshop: Workshop, { id, port }: RealServer): Promise<Outcome> {
  const place = await workshop.place(`${id}-experiment`);
  const file = join(place, "names.experiment.json");
  const hosts = ["127.0.0.1", "localhost"];
  const command = AIPERF.command(workshop, port, "${run}/client").join(" ");
  await writeFile(
    file,
    JSON.stringify({
      question: "Does the name of a server matter?",
      configurations: hosts.map((name) => ({ name, endpoints: [`http://${name}:${port}/metrics`] })),
      loads: [{ name: "load", command }],
      primary: { metric: CLIENT.timeToFirstToken, statistic: "avg", relevant: "10%" },
      repeats: { min: 3, max: 3 },
    }),
  );
  const experiment = (...words: readonly string[]) =>
    workshop.finish(
      process.execPath,
      [join(workshop.root, "dist/cli.js"), "experiment", ...words],
      "experiment",
      place,
    );
  const check = "experiment with AIPerf as its load: valid runs with the client's results, and no false difference";
  try {
    // To leave it undecided has an exit code of its own.
    await experiment("run", file).catch(() => undefined);
    const { cells, answers } = JSON.parse(await experiment("show", file, "--json")) as ExperimentStatus;
    const counts = cells.map(({ configuration, made, valid }) => `${configuration} ${valid} of ${made}`).join(", ");
    const holds = cells.every(
      ({ state, value, valid }) => valid === 3 && value !== undefined && state !== "better" && state !== "worse",
    );
    return { check, result: `${counts}; ${answers.join(" ")}`, holds };
  } catch (error) {
    return { check, result: reasonOf(error), holds: false };
  }
}

async function familiesOf(urls: readonly string[]) {
  const names = new Set<string>();
  for (const url of urls) {
    const body = Buffer.from(await (await fetch(url)).arrayBuffer());
    for (const { family } of new ExpositionParser().parse(body, formatOfContentType("")).defs) names.add(family.name);
  }
  const unknown = unlistedFamilies([...names]).map(({ name }) => name);
  return { families: names.size, unknown };
}

/** What a scrape costs the server that answers it. */
async function costOf(server: Server, url: string): Promise<Outcome> {
  const before = await processorSeconds(server.pid);
  for (let i = 0; i < COST_SCRAPES; i++) await (await fetch(url)).arrayBuffer();
  const seconds = ((await processorSeconds(server.pid)) - before) / COST_SCRAPES;
  const [usual, fast] = [seconds / (INTERVAL_MS / 1000), seconds / 0.1];
  return {
    check: "what a scrape costs the server",
    result: `${(1000 * seconds).toFixed(1)} ms of its process: ${percent(usual)} of a core at ${INTERVAL_MS} ms, ${percent(fast)} at 100 ms`,
    holds: usual <= COSTLY,
  };
}

async function versionOf(workshop: Workshop, { tool, package: name }: Pick<LoadGenerator, "tool" | "package">) {
  const pins = await readFile(workshop.script(`requirements/${tool}.txt`), "utf8");
  return new RegExp(`^${name}==(.*)$`, "m").exec(pins)?.[1] ?? "of unknown version";
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
