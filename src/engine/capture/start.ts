import { randomUUID } from "node:crypto";
import {
  Collector,
  distinctProbes,
  MonotonicClock,
  ServerEventReader,
  suspendedText,
  type ProbeProgress,
  type Target,
} from "../../collect/index.js";
import { recogniseServers, type ServerId } from "../../core/catalog/index.js";
import { hasMetrics, type Problem, type Scrape, warningOf } from "../../core/model/index.js";
import type { JsonObject } from "../../core/text/index.js";
import { Run } from "../../core/store/index.js";
import { JournalWriter } from "../../files/index.js";
import type { CaptureOptions, Reachability } from "../../protocol/index.js";
import { ProvenanceRecorder } from "../provenance/recorder.js";
import { Capture, type CaptureListener } from "./capture.js";
import { engineError } from "../engine-error.js";
import { probeAndRemember } from "./probing.js";

export interface StartedCapture {
  readonly capture: Capture;
  /** Of the endpoints that had been tested when it began. */
  readonly reachability: readonly Reachability[];
  /** Of all of them. */
  readonly tested: Promise<readonly Reachability[]>;
}

/** Some 50 MB in memory. */
const MAX_EVENTS = 100_000;
const TOO_MANY_EVENTS: Problem = warningOf(`The run has ${MAX_EVENTS} server events: later ones are not kept.`);

/** From the first answer with metrics on, the others are waited for this long: healthy ones answer together. */
const OTHERS_MS = 250;

/**
 * Tests the endpoints, opens the journal and begins. Starts when at least one endpoint is reachable, or in any case
 * with `evenIfUnreachable`. With `atFirst` it does not wait for all: those that are tested later join it.
 * @throws UserError "nothing-reachable" with each endpoint's reason; "unusable-settings"; InvalidUrlError; the
 *   signal's reason
 */
export async function startCapture(
  options: CaptureOptions,
  listener: CaptureListener,
  {
    signal,
    evenIfUnreachable = false,
    atFirst = false,
    journalBatch,
  }: { signal?: AbortSignal; evenIfUnreachable?: boolean; atFirst?: boolean; journalBatch?: number } = {},
): Promise<StartedCapture> {
  const enabled = options.endpoints.filter((endpoint) => endpoint.enabled);
  if (enabled.length === 0)
    throw engineError("unusable-settings", "no enabled endpoint to capture from", "Add an endpoint, or enable one.");
  const { reachabilityTimeoutMs: timeoutMs, limits } = options;
  const decided: ProbeProgress[] = [];
  let begin: () => void = () => undefined;
  const first = new Promise<void>((resolve) => (begin = resolve));
  const probing = probeAndRemember(enabled, { timeoutMs, limits }, signal, (progress) => {
    listener.onProbe?.(progress);
    decided.push(progress);
    if (atFirst && hasMetrics(progress.reachability)) setTimeout(begin, OTHERS_MS);
  });
  probing.catch(() => undefined);
  await Promise.race([probing, first]);
  const probes =
    decided.length < enabled.length
      ? distinctProbes(decided.toSorted((a, b) => a.index - b.index))
      : (await probing).probes;
  const reachability = probes.map((probe) => probe.reachability);
  if (!evenIfUnreachable && !reachability.some((endpoint) => endpoint.reachable)) throw nothingReachable(reachability);
  const time = new MonotonicClock();
  // Endpoints that join later are added here, too.
  const configured = probes.map((probe) => probe.target.url);
  const targets = probes.map((probe) => probe.target);
  const run = new Run({
    benchmarkId: randomUUID(),
    ...(options.label === undefined ? {} : { label: options.label }),
    endpointsConfigured: configured,
    sliceDurationSeconds: options.sliceDurationSeconds,
    inputConfig: describeOptions(options, targets),
  });
  const onNotice = (problem: Problem) => listener.onNotice(problem);
  time.onSuspended = (ms) =>
    onNotice(
      warningOf(
        `${suspendedText(ms)} That is a gap in every endpoint's data; the capture goes on.`,
        "Keep the machine awake during a capture (systemd-inhibit on Linux).",
      ),
    );
  const journal =
    options.journalPath === undefined
      ? undefined
      : await JournalWriter.open(options.journalPath, {
          metadata: run.metadata,
          time: time.now(),
          limitBytes: options.journalLimitBytes,
          onNotice,
          sync: options.journalSync ?? true,
          ...(journalBatch === undefined ? {} : { batch: journalBatch }),
        });
  const configure = (entry: JsonObject) => {
    run.configure(entry);
    journal?.event({ kind: "run_start", time: run.origin, metadata: run.metadata });
  };
  const provenance =
    options.provenance === undefined ? undefined : new ProvenanceRecorder(options.provenance, time, configure);
  const collector = new Collector(
    targets,
    options,
    {
      onScrape: (scrape: Scrape) => {
        run.store.append(scrape);
        journal?.scrape(scrape, run.phaseOf(scrape));
        if (scrape.outcome.kind === "samples" && provenance?.isNew(scrape.endpointUrl) === true)
          provenance.ask(
            targets.find(({ url }) => url === scrape.endpointUrl),
            serversOf(run, scrape.endpointUrl),
          );
      },
      onStatus: (endpoint) => listener.onStatus?.(endpoint),
      onNotice: (problem, endpoint) => listener.onNotice(problem, endpoint.url),
    },
    time,
  );
  const events = (options.eventServers ?? []).map(
    (server) =>
      new ServerEventReader(
        server,
        {
          onEvents: (read) => {
            for (const event of read) {
              if (run.serverEvents.length >= MAX_EVENTS) return onNotice(TOO_MANY_EVENTS);
              run.addServerEvent(event);
              journal?.event({ kind: "server_event", time: event.time, event });
            }
          },
          onNotice,
        },
        time,
      ),
  );
  const capture = new Capture(
    run,
    collector,
    journal,
    events,
    options,
    time,
    listener,
    (target) => {
      targets.splice(0, targets.length, ...targets.filter(({ url }) => url !== target.url), target);
      if (!configured.includes(target.url)) configured.push(target.url);
      configure(describeOptions(options, targets));
    },
    provenance,
  );
  try {
    await Promise.all(events.map((server) => server.start(signal)));
    await capture.begin(signal);
  } catch (error) {
    await capture.abandon();
    await capture.discard();
    throw error;
  }
  const tested = probing.then(({ probes: all, problems }) => {
    for (const problem of problems) listener.onNotice(problem);
    capture.join(all.map(({ target }) => target).filter(({ url }) => !configured.includes(url)));
    return all.map((probe) => probe.reachability);
  });
  // Who does not ask hears of it from each endpoint.
  tested.catch(() => undefined);
  return { capture, reachability, tested };
}

function nothingReachable(reachability: readonly Reachability[]) {
  const reasons = reachability.map(({ displayName, problem }) => `${displayName}: ${problem?.reason ?? "no answer"}`);
  const remedy = reachability.map(({ problem }) => problem?.remedy).find((text) => text !== undefined);
  return engineError("nothing-reachable", `0/${reachability.length} endpoints reachable. ${reasons.join(" ")}`, remedy);
}

function serversOf({ store }: Run, endpointUrl: string): readonly ServerId[] {
  const axis = store.endpoint(endpointUrl);
  const names = axis === undefined ? [] : Array.from(store.seriesKeys(axis.id), ({ family }) => family.name);
  return recogniseServers(names).map(({ id }) => id);
}

/** What a run's `input_config` says of its capture. Never headers or credentials. */
function describeOptions(options: CaptureOptions, targets: readonly Target[]): JsonObject {
  const statistics = targets.filter(({ source }) => source === "iteration-statistics");
  return {
    server_metrics: targets.map(({ url }) => url),
    ...(statistics.length > 0 ? { iteration_statistics: statistics.map(({ url }) => url) } : {}),
    ...(options.label === undefined ? {} : { label: options.label }),
    collection_interval_ms: options.intervalMs,
    scrape_timeout_ms: options.scrapeTimeoutMs,
    slice_duration: options.sliceDurationSeconds,
    ...(options.window === "all" ? { window: "all" } : {}),
    warmup: options.warmup.kind === "duration" ? options.warmup.seconds : options.warmup.kind,
    ...(options.include.length > 0 ? { include: options.include } : {}),
    ...(options.exclude.length > 0 ? { exclude: options.exclude } : {}),
  };
}
