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
const RESET_SECONDS = 300;
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
  const { processes, now } = options;
  const begun = performance.now();
  const run = new RunInMaking(definition, step, options);
  await rm(run.folder, { recursive: true, force: true });
  await makeFolder(run.folder);
  try {
    const { problems, ...measured } = await run.make();
    return {
      step,
      problems: [...(await run.serverProblems()), ...problems],
      ...measured,
      seconds: (performance.now() - begun) / 1000,
    };
  } catch (error) {
    if (!(error instanceof NotBegun)) throw error;
    return { step, problems: [error.message], values: {}, seconds: (performance.now() - begun) / 1000 };
  } finally {
    await run.server?.stop(now.aborted ? SHORT_GRACE_MS : undefined);
    await processes.sweep();
  }
}

function named<T extends { readonly name: string }>(list: readonly T[], name: string): T {
  const found = list.find((one) => one.name === name);
  if (found === undefined) throw new UserError(`the experiment has no ${name}.`);
  return found;
}

class RunInMaking {
  readonly folder: string;
  server: ProcessGroup | undefined;
  private readonly configuration: ServerConfiguration;
  private readonly load: LoadDefinition;
  /** As the capture takes them. */
  private readonly endpoints: readonly string[];
  /** What `${run}` and the like stand for. */
  private readonly variables: Readonly<Record<string, string | number | undefined>>;

  constructor(
    private readonly definition: ExperimentDefinition,
    private readonly step: PlannedRun,
    private readonly options: MakeOptions,
  ) {
    const { configuration, load, block, level } = step;
    this.folder = join(options.out, folderOf(step));
    this.configuration = named(definition.configurations, configuration);
    this.load = named(definition.loads, load);
    const { port, endpoints = definition.endpoints ?? [] } = this.configuration;
    const known = { run: this.folder, server_metrics: options.self, configuration, load, block, level, port };
    this.variables = known;
    this.endpoints = endpoints.map((text) => this.fill(text));
    this.variables = { ...known, server_url: new URL(normalizeUrl(this.endpoints[0] ?? "")).origin };
  }

  /** @throws NotBegun; UserError; the signal's reason */
  async make(): Promise<Pick<RunRecord, "problems" | "values" | "facts">> {
    const { server } = this.configuration;
    if (server !== undefined) {
      await this.requireFreePorts();
      this.server = await this.start(server, "server.log");
    }
    await this.untilReady();
    await this.reset();
    return this.record();
  }

  async serverProblems(): Promise<readonly string[]> {
    const died = this.server?.end;
    if (died === undefined) return [];
    return [`The server ended during the run with exit code ${died.exitCode}. ${await this.lastLines("server.log")}`];
  }

  /** Fills in variables; those that are not known are the shell's. */
  private fill(text: string): string {
    return text.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => String(this.variables[name] ?? whole));
  }

  private start(line: string, log: string): Promise<ProcessGroup> {
    const { processes, cwd } = this.options;
    return processes.start({ line: this.fill(line), cwd, log: join(this.folder, log) });
  }

  /** @throws UserError when another program listens there: its metrics would be taken for the server's */
  private async requireFreePorts(): Promise<void> {
    const { port: own, name } = this.configuration;
    const places = new Map<string, { readonly host: string; readonly port: number }>();
    for (const text of this.endpoints) {
      const url = new URL(normalizeUrl(text));
      const host = url.hostname.replace(/^\[|\]$/g, "");
      if (isLoopback(url.hostname)) places.set(url.host, { host, port: Number(url.port || 80) });
    }
    if (own !== undefined && places.size === 0) places.set("", { host: "127.0.0.1", port: own });
    for (const { host, port } of places.values())
      if (await isAnswered(host, port))
        throw new UserError(
          `port ${port} is in use already, before the server of ${name} was started.`,
          "Stop what uses it, or choose another port.",
          { code: "port-in-use" },
        );
  }

  /** Until the `ready` URL answers 200, or each endpoint answers. @throws NotBegun */
  private async untilReady(): Promise<void> {
    const { now } = this.options;
    const { ready, startup } = this.configuration;
    // What an endpoint answers is for the capture to judge.
    const [urls, limit] = ready === undefined ? [this.endpoints.map(normalizeUrl), 499] : [[this.fill(ready)], 200];
    const deadline = performance.now() + (this.server === undefined ? ANSWER_MS : 1000 * startup);
    for (const url of urls) {
      for (;;) {
        now.throwIfAborted();
        const ended = this.server?.end;
        if (ended !== undefined)
          throw new NotBegun(
            `The server ended with exit code ${ended.exitCode} before it was ready. ${await this.lastLines("server.log")}`,
          );
        const reason = await answerOf(url, limit, now);
        if (reason === undefined) break;
        if (performance.now() > deadline)
          throw new NotBegun(
            `The server was not ready in time: ${url} ${reason}.${this.server === undefined ? "" : ` ${await this.lastLines("server.log")}`}`,
          );
        await wait(POLL_MS, undefined, { signal: now });
      }
    }
  }

  private async reset(): Promise<void> {
    const { reset } = this.definition;
    if (reset === undefined) return;
    const ended = await endOf(await this.start(reset, "reset.log"), RESET_SECONDS, this.options.now);
    if (ended === "timeout" || ended.exitCode !== 0)
      throw new NotBegun(
        `The reset ${ended === "timeout" ? "did not end" : `ended with exit code ${ended.exitCode}`}. ${await this.lastLines("reset.log")}`,
      );
  }

  /** The load beside a capture, with the artifacts of `capture -- COMMAND`, and what they say. */
  private async record(): Promise<Pick<RunRecord, "problems" | "values" | "facts">> {
    const { definition, configuration, load, folder, step } = this;
    const { cwd, now, note } = this.options;
    const capture = await this.capture();
    try {
      const started = Date.now();
      const ended = await endOf(await this.start(load.command, "load.log"), load.timeout, now);
      await capture.stop();
      const found = await resultsOf({ args: this.fill(load.command).split(/\s+/), cwd, started }, folder, note);
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
      const exitCode = ended === "timeout" ? 0 : ended.exitCode;
      const { servers, models, facts } = recorded.source;
      return {
        problems: problemsOf(definition, configuration, {
          exitCode,
          timedOut: ended === "timeout",
          lastLines: exitCode === 0 ? "" : await this.lastLines("load.log"),
          run: recorded,
          captured: run,
          findings: insights.findings,
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
  private async capture(): Promise<Capture> {
    const { definition, configuration, load, options } = this;
    const command = ["/bin/sh", "-c", this.fill(load.command)];
    try {
      const { capture } = await startCapture(
        {
          ...USUAL_CAPTURE,
          endpoints: this.endpoints.map((url) => ({ url, enabled: true })),
          intervalMs: Math.round(definition.interval * 1000),
          label: `${configuration.name} ${load.name}`,
          warmup: warmupOf(load.warmup),
          window: "load",
          journalPath: join(this.folder, hiddenJournalName()),
          journalLimitBytes: 2 * 1024 ** 3,
          provenance: { parts: PROVENANCE_PARTS, folder: options.cwd, command },
        },
        { onNotice: ({ reason, remedy = "" }) => options.note(`${reason} ${remedy}`.trimEnd()) },
        { signal: options.now },
      );
      return capture;
    } catch (error) {
      if (error instanceof UserError && error.code === "nothing-reachable") throw new NotBegun(error.message);
      throw error;
    }
  }

  /** The end of a log, in one line. */
  private async lastLines(log: string): Promise<string> {
    const text = await textOf(join(this.folder, log), LOG_LIMIT).catch(() => "");
    const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
    if (lines.length === 0) return "It printed nothing.";
    return `Its last lines: ${lines.slice(-SHOWN_LINES).map(oneLine).join(" / ")}`;
  }
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
