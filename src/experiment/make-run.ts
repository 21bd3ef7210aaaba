import { rm } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { isLoopback, normalizeUrl } from "../collect/url.js";
import { sourceOf } from "../core/compare/index.js";
import {
  folderOf,
  guardsOf,
  measureRun,
  problemsOf,
  type ServerConfiguration,
  type ExperimentDefinition,
  type LoadDefinition,
  type RunRecord,
  type PlannedRun,
} from "../core/experiment/index.js";
import { runInsights } from "../core/insights/index.js";
import { PROVENANCE_PARTS, USUAL_CAPTURE, warmupOf } from "../core/model/index.js";
import { oneLine, UserError } from "../core/text/index.js";
import { keepBeside, resultsOf, runSteps, startCapture, type Capture } from "../engine/index.js";
import { textOf } from "../files/bytes.js";
import { exportArtifacts, hiddenJournalName, makeFolder, withIdleParts, writeSummary } from "../files/index.js";
import type { Processes, ProcessGroup } from "./processes.js";

export interface MakeOptions {
  /** Where the experiment's runs lie. Absolute. */
  readonly out: string;
  /** Where its commands run: the folder of its file. Absolute. */
  readonly cwd: string;
  readonly processes: Processes;
  /** Aborted: everything is stopped, and the run is not made. */
  readonly now: AbortSignal;
  /** Hears what a person should know. */
  readonly note: (text: string) => void;
  /** What `${server_metrics}` in a command stands for: this command line. */
  readonly self?: string;
}

/** What makes a run invalid before its load has begun. */
class NotBegun extends Error {}

const POLL_MS = 200;
const ANSWER_MS = 2000;
/** Of a server's or load's output, at its end. */
const SHOWN_LINES = 5;
const LOG_LIMIT = 64 * 1024 ** 2;
/** Of an interrupted run. */
const SHORT_GRACE_MS = 2000;

/**
 * Makes one run: server, ready, reset, load beside a capture, stop. Whatever was in its folder is replaced.
 * @throws UserError for what the next run would meet, too, such as a port in use; the signal's reason
 */
export async function makeRun(
  definition: ExperimentDefinition,
  step: PlannedRun,
  options: MakeOptions,
): Promise<RunRecord> {
  const begun = performance.now();
  const { out, cwd, processes, now, self } = options;
  const folder = join(out, folderOf(step));
  const configuration = named(definition.configurations, step.configuration);
  const names = { run: folder, server_metrics: self };
  const [endpoint = ""] = endpointsOf(definition, configuration, filler(step, configuration, names));
  const fill = filler(step, configuration, { ...names, server_url: new URL(normalizeUrl(endpoint)).origin });
  await rm(folder, { recursive: true, force: true });
  await makeFolder(folder);
  let server: ProcessGroup | undefined;
  try {
    if (configuration.server !== undefined) {
      await requireFreePorts(definition, configuration, fill);
      const log = join(folder, "server.log");
      server = await processes.start({ line: fill(configuration.server), cwd, log });
    }
    await untilReady(definition, configuration, { fill, server, folder, now });
    await reset(definition, { fill, folder, options });
    const { problems, ...measured } = await record(definition, step, { configuration, fill, folder, options });
    const died = server?.end;
    return {
      step,
      problems:
        died === undefined
          ? problems
          : [
              `The server ended during the run with exit code ${died.exitCode}. ${await lastLines(join(folder, "server.log"))}`,
              ...problems,
            ],
      ...measured,
      seconds: (performance.now() - begun) / 1000,
    };
  } catch (error) {
    if (!(error instanceof NotBegun)) throw error;
    return { step, problems: [error.message], values: {}, seconds: (performance.now() - begun) / 1000 };
  } finally {
    await server?.stop(now.aborted ? SHORT_GRACE_MS : undefined);
    await processes.sweep();
  }
}

function named<T extends { readonly name: string }>(list: readonly T[], name: string): T {
  const found = list.find((one) => one.name === name);
  if (found === undefined) throw new UserError(`the experiment has no ${name}.`);
  return found;
}

type Fill = (text: string) => string;

/** Fills in `${run}` and the like; other variables are the shell's. */
function filler(
  step: PlannedRun,
  { port }: ServerConfiguration,
  more: Readonly<Record<string, string | undefined>>,
): Fill {
  const values: Readonly<Record<string, string | undefined>> = {
    ...more,
    configuration: step.configuration,
    load: step.load,
    block: String(step.block),
    level: step.level === undefined ? undefined : String(step.level),
    port: port === undefined ? undefined : String(port),
  };
  return (text) => text.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

function endpointsOf(
  definition: ExperimentDefinition,
  configuration: ServerConfiguration,
  fill: Fill,
): readonly string[] {
  return (configuration.endpoints ?? definition.endpoints ?? []).map(fill);
}

/** @throws UserError when another program listens there: its metrics would be taken for the server's */
async function requireFreePorts(
  definition: ExperimentDefinition,
  configuration: ServerConfiguration,
  fill: Fill,
): Promise<void> {
  const places = new Map<string, { readonly host: string; readonly port: number }>();
  for (const text of endpointsOf(definition, configuration, fill)) {
    const url = new URL(normalizeUrl(text));
    const host = url.hostname.replace(/^\[|\]$/g, "");
    if (isLoopback(url.hostname)) places.set(url.host, { host, port: Number(url.port || 80) });
  }
  if (configuration.port !== undefined && places.size === 0)
    places.set("", { host: "127.0.0.1", port: configuration.port });
  for (const { host, port } of places.values())
    if (await isAnswered(host, port))
      throw new UserError(
        `port ${port} is in use already, before the server of ${configuration.name} was started.`,
        "Stop what uses it, or choose another port.",
        { code: "port-in-use" },
      );
}

function isAnswered(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: ANSWER_MS });
    const settle = (answered: boolean) => {
      socket.destroy();
      resolve(answered);
    };
    socket.once("connect", () => settle(true));
    socket.once("error", () => settle(false));
    socket.once("timeout", () => settle(false));
  });
}

interface Starting {
  readonly fill: Fill;
  readonly server: ProcessGroup | undefined;
  readonly folder: string;
  readonly now: AbortSignal;
}

/** Until the `ready` URL answers 200, or each endpoint answers. @throws NotBegun */
async function untilReady(
  definition: ExperimentDefinition,
  configuration: ServerConfiguration,
  starting: Starting,
): Promise<void> {
  const { fill, server, folder, now } = starting;
  const { ready, startup } = configuration;
  // What an endpoint answers is for the capture to judge.
  const [urls, limit] =
    ready === undefined ? [endpointsOf(definition, configuration, fill).map(normalizeUrl), 499] : [[fill(ready)], 200];
  const deadline = performance.now() + 1000 * (server === undefined ? ANSWER_MS / 1000 : startup);
  let reason = "";
  for (const url of urls) {
    for (;;) {
      now.throwIfAborted();
      if (server?.end !== undefined)
        throw new NotBegun(
          `The server ended with exit code ${server.end.exitCode} before it was ready. ${await lastLines(join(folder, "server.log"))}`,
        );
      const answer = await answerOf(url, limit, now);
      if (answer === undefined) break;
      reason = answer;
      if (performance.now() > deadline)
        throw new NotBegun(
          `The server was not ready in time: ${url} ${reason}.${server === undefined ? "" : ` ${await lastLines(join(folder, "server.log"))}`}`,
        );
      await wait(POLL_MS, undefined, { signal: now });
    }
  }
}

/** Undefined of an answer with a status of at most `limit`; else what it was instead. */
async function answerOf(url: string, limit: number, now: AbortSignal): Promise<string | undefined> {
  try {
    const signal = AbortSignal.any([now, AbortSignal.timeout(ANSWER_MS)]);
    const answer = await fetch(url, { redirect: "manual", signal });
    await answer.body?.cancel();
    return answer.status <= limit ? undefined : `answers ${answer.status}`;
  } catch {
    return "does not answer";
  }
}

interface Surroundings {
  readonly fill: Fill;
  readonly folder: string;
  readonly options: MakeOptions;
}

async function reset({ reset: line }: ExperimentDefinition, { fill, folder, options }: Surroundings): Promise<void> {
  if (line === undefined) return;
  const log = join(folder, "reset.log");
  const group = await options.processes.start({ line: fill(line), cwd: options.cwd, log });
  const ended = await endOf(group, RESET_SECONDS, options.now);
  if (ended === "timeout" || ended.exitCode !== 0)
    throw new NotBegun(
      `The reset ${ended === "timeout" ? "did not end" : `ended with exit code ${ended.exitCode}`}. ${await lastLines(log)}`,
    );
}

const RESET_SECONDS = 300;

/** The end of a command, which is stopped when it takes too long. @throws the signal's reason, once it is stopped */
async function endOf(group: ProcessGroup, seconds: number, now: AbortSignal) {
  const limit = new AbortController();
  const over = AbortSignal.any([now, limit.signal]);
  try {
    return await Promise.race([
      group.ended,
      wait(seconds * 1000, "timeout" as const, { signal: over }).catch(() => "timeout" as const),
    ]);
  } finally {
    limit.abort();
    await group.stop(now.aborted ? SHORT_GRACE_MS : undefined);
    now.throwIfAborted();
  }
}

/** The load beside a capture, with the artifacts of `capture -- COMMAND`, and what they say. */
async function record(
  definition: ExperimentDefinition,
  step: PlannedRun,
  around: Surroundings & { readonly configuration: ServerConfiguration },
): Promise<Pick<RunRecord, "problems" | "values" | "facts">> {
  const { configuration, fill, folder, options } = around;
  const { cwd, now, note } = options;
  const load = named(definition.loads, step.load);
  const capture = await begin(definition, configuration, load, around);
  try {
    const started = Date.now();
    const line = fill(load.command);
    const log = join(folder, "load.log");
    const group = await options.processes.start({ line, cwd, log });
    const ended = await endOf(group, load.timeout, now);
    await capture.stop();
    const found = await resultsOf({ args: line.split(/\s+/), cwd, started }, folder, note);
    capture.measureLoad(found);
    const { run } = capture;
    const formats = withIdleParts(run, ["json", "csv", "parquet"]);
    const files = await exportArtifacts(run, { directory: folder, formats, verify: true });
    if (run.load?.by === "client") await keepBeside(found.files, folder, true, note);
    const thresholds = { errorShare: definition.errors };
    const insights = await runSteps(runInsights({ kind: "samples", run }, { thresholds }));
    await writeSummary(run, { directory: folder, files, insights });
    await capture.discard();
    const recorded = { source: sourceOf({ kind: "samples", label: folderOf(step), run }), clients: found.clients };
    const values = measureRun(recorded, [definition.primary, ...guardsOf(definition)]);
    const { findings } = insights;
    const exitCode = ended === "timeout" ? 0 : ended.exitCode;
    const timedOut = ended === "timeout";
    const { servers, models, facts } = recorded.source;
    return {
      problems: problemsOf(definition, configuration, {
        exitCode,
        timedOut,
        lastLines: exitCode === 0 ? "" : await lastLines(log),
        run: recorded,
        captured: run,
        findings,
        values,
      }),
      values,
      facts: { server: servers.join(", "), model: models.join(", "), ...Object.fromEntries(facts) },
    };
  } catch (error) {
    await capture.abandon();
    throw error;
  }
}

/** @throws NotBegun when no endpoint answers with metrics; UserError for settings that cannot be used */
async function begin(
  definition: ExperimentDefinition,
  configuration: ServerConfiguration,
  load: LoadDefinition,
  { fill, folder, options }: Surroundings,
): Promise<Capture> {
  try {
    const { capture } = await startCapture(
      {
        ...USUAL_CAPTURE,
        endpoints: endpointsOf(definition, configuration, fill).map((url) => ({ url, enabled: true })),
        intervalMs: Math.round(definition.interval * 1000),
        label: `${configuration.name} ${load.name}`,
        warmup: warmupOf(load.warmup),
        window: "load",
        journalPath: join(folder, hiddenJournalName()),
        journalLimitBytes: 2 * 1024 ** 3,
        provenance: { parts: PROVENANCE_PARTS, folder: options.cwd, command: ["/bin/sh", "-c", fill(load.command)] },
      },
      {
        onNotice: ({ reason, remedy = "" }) => options.note(`${reason} ${remedy}`.trimEnd()),
        onStatus: () => undefined,
        onProbe: () => undefined,
      },
      { signal: options.now },
    );
    return capture;
  } catch (error) {
    if (error instanceof UserError && error.code === "nothing-reachable") throw new NotBegun(error.message);
    throw error;
  }
}

/** The end of a log, in one line. */
async function lastLines(path: string): Promise<string> {
  const lines = (await textOf(path, LOG_LIMIT).catch(() => "")).split(/\r?\n/).filter((line) => line.trim() !== "");
  if (lines.length === 0) return "It printed nothing.";
  return `Its last lines: ${lines.slice(-SHOWN_LINES).map(oneLine).join(" / ")}`;
}
