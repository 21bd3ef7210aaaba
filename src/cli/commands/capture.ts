import { resolve } from "node:path";
import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { UserError } from "../../core/text/errors.js";
import { sharingAdvice, type EndpointReport } from "../../collect/index.js";
import { insightsText, runInsights } from "../../core/insights/index.js";
import {
  allLeftOut,
  displayName,
  loadWindowText,
  OPTION_RANGES,
  scrapeLimits,
  USUAL_CAPTURE,
  warmupOf,
  warningOf,
} from "../../core/model/index.js";
import { keyTiles, tileSteps } from "../../core/query/index.js";
import { complete } from "../../core/stats/index.js";
import {
  forgetJson,
  keepBeside,
  LiveTiles,
  NOTHING_CAPTURED,
  resultsOf,
  runSteps,
  startCapture,
  type Capture,
  type RanCommand,
} from "../../engine/index.js";
import { runFolderName, withIdleParts } from "../../files/index.js";
import type { ArtifactFormat, CaptureOptions, EndpointOptions, Reachability } from "../../protocol/index.js";
import { endpointsWith, withAccessOptions } from "../options/access.js";
import { announce, costText, noteFailures, noteWithoutMetrics } from "../capture/announce.js";
import { endpointsAndCommand } from "../arguments.js";
import { ENDING_SIGNALS, interruptible, interruptOrTimeout } from "../capture/child-process.js";
import { captureBeside, CommandProcess } from "../capture/command-session.js";
import { findEndpoints, withDiscoveryOptions } from "../options/discovery.js";
import { ENVIRONMENT_HELP, readEnvironment, type EnvironmentSettings } from "../options/environment.js";
import { errorLine } from "../exit.js";
import { writeCapture, checkOutFolder, journalPath } from "../capture/artifacts.js";
import { keepHeapSmall, letHeapGrow } from "../capture/heap.js";
import { withFolder, withNewFolder } from "../input/bytes.js";
import {
  withLimitOptions,
  append,
  labelArgument,
  patternArgument,
  reachabilityOption,
  type FlagsOf,
  measuredWindowOption,
  withThresholdOption,
  provenanceOption,
} from "../options/shared.js";
import { DURATION, inMilliseconds, inRange } from "../options/numbers.js";
import { outputOf, sliceOption, withRunOutputOptions, writeSummaryFile } from "../options/output.js";
import { CaptureSinks, withSinkOptions } from "../options/stores.js";
import { followSteps, markArgument } from "../capture/steps.js";
import { liveTable, summarize, summaryOption } from "../print/summary.js";
import { note, noteProblem, print, startProgress } from "../print/terminal.js";
import { printFiles } from "../print/written.js";
import { noun } from "../../core/text/plural.js";

/** Described in full at the end; the rest are named. */
const SHOWN_FINDINGS = 3;

const { byDefault: journalLimit } = OPTION_RANGES.journalLimit;

/** @param argv the command line, which tells endpoints from the command after "--" */
export function captureCommand(setExit: (code: number) => void, argv: readonly string[]): CommandUnknownOpts {
  return options().action(async (operands, flags) => {
    const { endpoints, command } = endpointsAndCommand(argv, operands);
    setExit(await capture(command, { ...flags, url: [...(flags.url ?? []), ...endpoints] }));
  });
}

type Flags = FlagsOf<typeof options> & { readonly url: readonly string[] };

function options() {
  const command = new Command("capture")
    .summary("capture endpoints for a time, until Ctrl-C, or while a command runs")
    .description(
      "Scrapes Prometheus endpoints and writes artifacts. With -- COMMAND it captures while the command runs and exits with its code.",
    )
    .option("--url <url>", "endpoint to capture (repeatable)", append)
    .option("--duration <seconds>", "profiling time after the warm-up; without it until Ctrl-C", DURATION)
    .option("--interval <time>", "time between scrapes (default: 333ms)", inMilliseconds(OPTION_RANGES.interval))
    .option("--warmup <seconds>", "warm-up left out of the statistics", inRange(OPTION_RANGES.warmup))
    .option(
      "--mark <seconds:label>",
      'a mark at a time after the start; "phase NAME" as its label begins a phase (repeatable)',
      markArgument,
    )
    .option(
      "--phase-from-file <file>",
      "file to which a load generator appends the name of each step, one line per step as it begins: steps become phases",
    )
    .option(
      "--scrape-timeout <seconds>",
      "longest a scrape may take in all (default: 10)",
      inMilliseconds(OPTION_RANGES.scrapeTimeout),
    )
    .addOption(reachabilityOption())
    .option(
      "--flush-period <seconds>",
      "longest wait for the final scrape (default: 2)",
      inMilliseconds(OPTION_RANGES.flushPeriod),
    )
    .addOption(sliceOption().default(5))
    .addOption(measuredWindowOption())
    .option("--out <dir>", "folder for the artifacts (default: artifacts/server-metrics/<date-time>[-label])")
    .option("--force", "replace the artifacts of another run in --out")
    .option("--fallback-out <dir>", "folder for the artifacts when --out cannot take them (default: a temporary one)")
    .option("--no-journal-sync", "let the operating system decide when the journal reaches the disk")
    .option(
      "--journal-limit <MiB>",
      "largest journal; beyond it the capture continues without one, and says so",
      inRange(OPTION_RANGES.journalLimit),
      journalLimit,
    )
    .option("--label <label>", "a name for the run", labelArgument)
    .option("--include <glob>", "capture only families of this name (repeatable)", patternArgument)
    .option("--exclude <glob>", "leave families of this name out (repeatable)", patternArgument)
    .option(
      "--forget-json",
      "ask /metrics again at endpoints where an earlier capture found JSON (TensorRT-LLM) instead of metrics",
    )
    .addOption(provenanceOption())
    .addOption(summaryOption("key"))
    .usage("[options] [endpoint...] [-- COMMAND...]")
    .argument("[endpoint...]", "endpoints, as --url; after --: a command to run, such as a load generator");
  return withSinkOptions(
    withLimitOptions(withRunOutputOptions(withAccessOptions(withDiscoveryOptions(withThresholdOption(command))))),
  ).addHelpText("after", `\nTimes take a unit: 333ms, 10s, 5m, 1h.\n${ENVIRONMENT_HELP}`);
}

async function capture(command: readonly string[], flags: Flags): Promise<number> {
  const hasCommand = command.length > 0;
  if (hasCommand && flags.duration !== undefined)
    throw new UserError("--duration and -- COMMAND cannot be combined: the capture lasts as long as the command.");
  const commandProcess = CommandProcess.ofScraper();
  if (hasCommand && commandProcess === undefined) return captureBeside(command);
  return captureWith(flags, commandProcess, command).finally(() => commandProcess?.release());
}

/**
 * @param command another process runs it, for as long as which the capture lasts
 * @param args of that command
 */
async function captureWith(
  flags: Flags,
  command: CommandProcess | undefined,
  args: readonly string[],
): Promise<number> {
  const environment = readEnvironment(process.env);
  const { endpoints, pods } = await findEndpoints(flags, environment);
  const settings = await captureOptions(endpoints, flags, environment, args);
  const sinks = await CaptureSinks.of(flags);
  // Before anything is made or started.
  if (flags.out !== undefined) await checkOutFolder(resolve(flags.out), flags.prefix, flags.force === true);
  return inFolder(flags, async (out) => {
    const options = { ...settings, journalPath: journalPath(out, flags.prefix) };
    // From here on one listener always stays: a signal that waits for busy code to end would be lost with the last one.
    for (const signal of ENDING_SIGNALS) process.on(signal, ignored);
    keepHeapSmall();
    const { capture, reachability } = await begin(options, command !== undefined, environment.exportBatchSize);
    sinks.start(capture.run, (written) => capture.noteWritten(written));
    void pods?.follow(capture);
    const endSteps = followSteps(capture, flags);
    if (command === undefined) {
      // Signals are listened to before anything is printed: whoever waits for the line may send one at once.
      const end = waitFor(capture, flags, pods !== undefined);
      announce(reachability);
      await end;
      endSteps();
      return await finish(capture, reachability, sinks, flags, out);
    }
    const started = Date.now();
    announce(reachability);
    const run = command.run({ journal: options.journalPath }).finally(endSteps);
    const exitCode = await run.catch(async (error: unknown) => {
      await capture.stop();
      await capture.discard();
      throw error;
    });
    const code = await finish(capture, reachability, sinks, flags, out, { args, cwd: process.cwd(), started });
    // Without an answer there was nothing to write: the command may have had a use of its own.
    return exitCode === 0 && capture.answered > 0 ? code : exitCode;
  }).finally(() => {
    pods?.stop();
    sinks.close();
    for (const signal of ENDING_SIGNALS) process.off(signal, ignored);
  });
}

const ignored = () => undefined;

function inFolder<T>({ out, label }: Flags, work: (path: string) => Promise<T>): Promise<T> {
  if (out === undefined)
    return withNewFolder(resolve("artifacts", "server-metrics"), runFolderName(new Date(), label), work);
  const path = resolve(out);
  return withFolder(path, () => work(path));
}

/** @throws UserError when the user interrupts it; what startCapture throws */
async function begin(options: CaptureOptions, evenIfUnreachable: boolean, journalBatch: number) {
  return interruptible("interrupted before the capture began", (signal) =>
    startCapture(
      options,
      {
        onNotice: (problem, url) => noteProblem(problem, url === undefined ? undefined : displayName(url)),
        onStatus: noteFailures(),
      },
      { signal, evenIfUnreachable, journalBatch },
    ),
  );
}

async function captureOptions(
  endpoints: readonly EndpointOptions[],
  flags: Flags,
  environment: EnvironmentSettings,
  command: readonly string[],
): Promise<Omit<CaptureOptions, "journalPath">> {
  if (flags.forgetJson === true) await forgetJson(endpoints.map(({ url }) => url));
  return {
    endpoints,
    ...(flags.serverEvents === undefined ? {} : { eventServers: await endpointsWith(flags.serverEvents, flags) }),
    intervalMs: flags.interval ?? environment.intervalMs,
    scrapeTimeoutMs: flags.scrapeTimeout ?? USUAL_CAPTURE.scrapeTimeoutMs,
    reachabilityTimeoutMs: flags.reachabilityTimeout ?? environment.reachabilityTimeoutMs,
    flushPeriodMs: flags.flushPeriod ?? environment.flushPeriodMs,
    limits: scrapeLimits((option) => flags[option]),
    include: flags.include ?? [],
    exclude: flags.exclude ?? [],
    ...(flags.label === undefined ? {} : { label: flags.label }),
    warmup: warmupOf(flags.warmup),
    sliceDurationSeconds: flags.sliceDuration,
    window: flags.window,
    journalLimitBytes: Math.round(flags.journalLimit * 1024 ** 2),
    journalSync: flags.journalSync && environment.journalSync,
    ...(flags.provenance.length === 0
      ? {}
      : {
          provenance: {
            parts: flags.provenance,
            folder: process.cwd(),
            ...(command.length === 0 ? {} : { command }),
          },
        }),
  };
}

/**
 * Until the duration is over, the user interrupts, or every endpoint has been left out.
 * @param more others may join
 */
async function waitFor(capture: Capture, flags: Flags, more: boolean): Promise<void> {
  const progress = startProgress();
  const tiles = new LiveTiles((signal) => runSteps(tileSteps(capture.run, { isLive: true }), signal));
  const shown = process.stderr.isTTY && flags.summary !== "none";
  const over = new AbortController();
  const total = flags.duration === undefined ? undefined : flags.duration + (flags.warmup ?? 0);
  const timer = setInterval(() => {
    const endpoints = capture.endpoints();
    if (!more && allLeftOut(endpoints)) over.abort();
    const elapsed = capture.elapsedSeconds;
    const up = endpoints.filter((endpoint) => endpoint.state === "up").length;
    // What it cannot read now, the summary at the end says.
    if (shown) void tiles.readIfDue().catch(ignored);
    progress.update(
      total === undefined ? undefined : elapsed / total,
      `${elapsed.toFixed(0)} s ${capture.phase} · ${capture.run.store.scrapes} ${noun(capture.run.store.scrapes, "scrape")} · ${up}/${endpoints.length} up`,
      shown ? liveTable(tiles.latest, process.stderr) : "",
    );
  }, 250);
  const left = () => (flags.duration === undefined ? undefined : flags.duration - capture.profiledSeconds);
  let end = await interruptOrTimeout(left(), over.signal);
  // A warm-up ends after the scrapes at its end: profiling began later than planned.
  while (end === "elapsed" && !over.signal.aborted && (left() ?? 0) > 0)
    end = await interruptOrTimeout(left(), over.signal);
  clearInterval(timer);
  tiles.stop();
  progress.done();
  if (end === "interrupted")
    note("stopping: waiting for the final scrape; interrupt again to write the artifacts without it");
}

/** Of all formats only JSONL has room for the events of servers. */
function withEvents(formats: readonly ArtifactFormat[], { serverEvents }: Capture["run"]): readonly ArtifactFormat[] {
  if (serverEvents.length === 0 || formats.includes("jsonl")) return formats;
  note(`note: ${serverEvents.length} server events are kept in JSONL, which is written as well`);
  return [...formats, "jsonl"];
}

/** With more endpoints, only the slowest one's cost is printed. */
const SHOWN_EACH = 10;

/** @returns the exit code: 0 when everything has been written where it was asked for */
async function finish(
  capture: Capture,
  tested: readonly Reachability[],
  sinks: CaptureSinks,
  flags: Flags,
  out: string,
  ran?: RanCommand,
): Promise<0 | 1> {
  // The next Ctrl-C does not wait for the final scrapes, or for room on a disk; the one after it ends the process.
  return interruptible("interrupted", async (signal) => {
    await capture.stop(signal);
    letHeapGrow();
    const { run, answered } = capture;
    if (answered === 0) {
      await capture.discard();
      noteProblem(warningOf(NOTHING_CAPTURED));
      noteWithoutMetrics(capture.endpoints(), tested);
      return 1;
    }
    const found = ran === undefined ? undefined : await resultsOf(ran, out, note);
    if (found !== undefined) capture.measureLoad(found);
    const { files, failure } = await writeCapture(
      capture,
      {
        out,
        formats: withIdleParts(run, withEvents(flags.formats, run)),
        options: { ...outputOf(flags), verify: true, keepExisting: flags.force !== true },
        ...(flags.fallbackOut === undefined ? {} : { fallbackOut: resolve(flags.fallbackOut) }),
      },
      signal,
    );
    if (files.length === 0 && failure !== undefined) throw failure;
    if (found !== undefined && run.load?.by === "client" && failure === undefined)
      await keepBeside(found.files, out, flags.force === true, note);
    const up = capture.endpoints();
    print(
      `metrics of ${answered}/${run.metadata.endpointsConfigured.length} endpoints, ${run.store.scrapes} ${noun(run.store.scrapes, "scrape")}`,
    );
    if (run.load !== undefined) print(loadWindowText(run.load, run.windowRule));
    for (const endpoint of up) {
      const { failures, scrapes, missedTicks } = endpoint;
      const due = failures + scrapes + missedTicks;
      if (failures > 0 && scrapes > 0)
        note(`warning: ${endpoint.displayName}: ${failures} of ${due} scrapes failed; they are gaps`);
      if (endpoint.droppedLines > 0)
        note(
          `warning: ${endpoint.displayName}: ${endpoint.droppedLines} ${noun(endpoint.droppedLines, "line")} of ${scrapes} ${noun(scrapes, "scrape")} ${noun(endpoint.droppedLines, "was", "were")} beyond a limit and dropped`,
        );
      if (endpoint.cost !== undefined && up.length <= SHOWN_EACH)
        note(`note: ${endpoint.displayName}: ${costText(endpoint.cost)}`);
      if (missedTicks > 0)
        note(
          `warning: ${endpoint.displayName}: ${missedTicks} of ${due} scrapes ${noun(missedTicks, "was", "were")} not made: ${missedWords(endpoint)}`,
        );
    }
    const slowest = up.toSorted((a, b) => (b.cost?.share ?? 0) - (a.cost?.share ?? 0))[0];
    if (up.length > SHOWN_EACH && slowest?.cost !== undefined)
      note(`note: ${slowest.displayName}, the slowest of ${up.length} endpoints: ${costText(slowest.cost)}`);
    if (run.store.seriesCount === 0)
      note(
        `warning: no family was captured: ${(flags.include ?? flags.exclude) ? "--include and --exclude leave none" : "what answered exposes none"}.`,
      );
    const tiles = flags.summary === "key" || flags.summaryFile ? keyTiles(run) : undefined;
    const summary = summarize(run, flags.summary, tiles);
    if (summary !== "") print(summary);
    const insights =
      flags.summary === "none" && !flags.summaryFile
        ? undefined
        : complete(runInsights({ kind: "samples", run }, { thresholds: flags.threshold }));
    if (insights !== undefined && flags.summary !== "none")
      print(`\n${insightsText(insights, { limit: SHOWN_FINDINGS })}\n`);
    printFiles(files);
    await writeSummaryFile(run, files, flags, {
      ...(tiles === undefined ? {} : { tiles }),
      ...(insights === undefined ? {} : { insights }),
    });
    if (failure !== undefined) note(errorLine(failure).trimEnd());
    const sunk = await sinks.finish(run, signal);
    return failure === undefined && sunk ? 0 : 1;
  });
}

/** By whom. Of a machine that says nothing of waits for a processor, some that were this machine's are not known. */
function missedWords({ missedTicks, missedTicksHere }: EndpointReport): string {
  const slow = "the answer took longer than the interval";
  if (missedTicksHere === 0) return slow;
  const busy = `this machine was too busy to scrape. ${sharingAdvice()}`;
  return missedTicksHere === missedTicks
    ? busy
    : `${missedTicks - missedTicksHere} because ${slow}, ${missedTicksHere} because ${busy}`;
}
