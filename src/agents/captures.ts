import { rmdir } from "node:fs/promises";
import { join } from "node:path";
import { artifactName } from "../core/artifacts/index.js";
import { originOf } from "../collect/index.js";
import { displayName, USUAL_CAPTURE, warmupOf, type Problem, type ProvenanceOptions } from "../core/model/index.js";
import { errorText, UserError } from "../core/text/index.js";
import { NOTHING_CAPTURED, startCapture, type Capture } from "../engine/index.js";
import {
  exportArtifacts,
  writeSummary,
  hiddenJournalName,
  newFolder,
  runFolderName,
  withIdleParts,
} from "../files/index.js";
import type { ArtifactFormat, Reachability } from "../protocol/index.js";
import type { RunFolder } from "./folder.js";

/** At a time: what agents may send and write is bounded. */
const MAX_CAPTURES = 2;
const JOURNAL_BYTES = 256 * 1024 ** 2;
/** Those that the command line writes by default. */
const FORMATS: readonly ArtifactFormat[] = ["json", "csv", "parquet"];

export interface AgentCaptureRequest {
  readonly urls: readonly string[];
  /** Profiling time after the warm-up, unless it is stopped before. */
  readonly durationSeconds: number;
  readonly warmupSeconds?: number | undefined;
  readonly intervalMs?: number | undefined;
  readonly label?: string | undefined;
  /** What is recorded of where the run came from; undefined: nothing. */
  readonly provenance?: ProvenanceOptions | undefined;
}

export interface CaptureResult {
  readonly id: string;
  /** Below the folder. */
  readonly files: readonly string[];
  readonly scrapes: number;
  readonly endpointsAnswered: number;
  readonly notices: readonly string[];
}

interface Running {
  readonly capture: Capture;
  readonly directory: string;
  readonly urls: readonly string[];
  readonly notices: Set<string>;
  timer: NodeJS.Timeout | undefined;
}

/** The captures that agents began, each in a folder of its own below the folder of runs. */
export class AgentCaptures {
  private readonly active = new Map<string, Running>();
  private readonly results = new Map<string, Promise<CaptureResult>>();
  private starting = 0;
  private readonly ended = new AbortController();

  constructor(private readonly folder: RunFolder) {}

  running(): readonly { readonly id: string; readonly urls: readonly string[]; readonly seconds: number }[] {
    return [...this.active].map(([id, { capture, urls }]) => ({ id, urls, seconds: capture.elapsedSeconds }));
  }

  /**
   * @param named origins whose addresses may be any
   * @throws UserError when no endpoint answers, or too many captures run
   */
  async start(request: AgentCaptureRequest, named: ReadonlySet<string>) {
    if (this.active.size + this.starting >= MAX_CAPTURES)
      throw new UserError(
        `${MAX_CAPTURES} captures are running, which is the most at a time.`,
        "Call stop_capture for one of them; list_runs names them.",
      );
    this.starting++;
    try {
      return await this.begin(request, named);
    } finally {
      this.starting--;
    }
  }

  private async begin(
    request: AgentCaptureRequest,
    named: ReadonlySet<string>,
  ): Promise<{ readonly id: string; readonly endpoints: readonly object[] }> {
    const directory = await newFolder(this.folder.path, runFolderName(new Date(), request.label));
    const notices = new Set<string>();
    const tested: Reachability[] = [];
    const starting = startCapture(
      {
        ...USUAL_CAPTURE,
        endpoints: request.urls.map((url) => ({
          url,
          enabled: true,
          ...(named.has(originOf(url)) ? {} : { avoidsReserved: true }),
        })),
        ...(request.intervalMs === undefined ? {} : { intervalMs: request.intervalMs }),
        ...(request.label === undefined ? {} : { label: request.label }),
        warmup: warmupOf(request.warmupSeconds),
        journalLimitBytes: JOURNAL_BYTES,
        journalPath: join(directory, hiddenJournalName()),
        ...(request.provenance === undefined ? {} : { provenance: request.provenance }),
      },
      {
        // What an endpoint said may be written to a model, and is not passed on.
        onNotice: ({ reason, failure }, url) => {
          if (url === undefined) notices.add(reason);
          else if (failure !== undefined) notices.add(`${displayName(url)}: ${failure}`);
        },
        onStatus: () => undefined,
        onProbe: ({ reachability }) => void tested.push(reachability),
      },
      { signal: this.ended.signal },
    );
    // A capture that did not start has written nothing.
    const { capture, reachability } = await starting.catch(async (error: unknown) => {
      await rmdir(directory).catch(() => undefined);
      throw error instanceof UserError && error.code === "nothing-reachable"
        ? new UserError(`No endpoint answers. ${tested.map(classOf).join("; ")}.`, "Check the addresses.")
        : error;
    });
    const id = this.folder.idOf(join(directory, artifactName("json").replace(/\.json$/, "")));
    this.active.set(id, {
      capture,
      directory,
      urls: reachability.map((endpoint) => endpoint.displayName),
      notices,
      timer: undefined,
    });
    this.stopAfter(id, request.durationSeconds);
    return {
      id,
      endpoints: reachability.map(({ displayName: endpoint, reachable, servers, problem }) => ({
        endpoint,
        reachable,
        ...(servers.length === 0 ? {} : { servers }),
        ...(problem?.failure === undefined ? {} : { problem: problem.failure }),
      })),
    };
  }

  /** Ends a capture once so much of it has been profiled: a warm-up may end later than planned. */
  private stopAfter(id: string, profiledSeconds: number): void {
    const running = this.active.get(id);
    if (running === undefined) return;
    const left = profiledSeconds - running.capture.profiledSeconds;
    if (left > 0) running.timer = setTimeout(() => this.stopAfter(id, profiledSeconds), 1000 * left);
    // What fails is reported to whoever asks for the capture next.
    else void this.stop(id).catch(() => undefined);
  }

  /**
   * Ends a capture and writes its files; of one that has ended, tells them again.
   * @throws UserError when there is no such capture, or its files could not be written
   */
  stop(id: string): Promise<CaptureResult> {
    const known = this.results.get(id);
    if (known !== undefined) return known;
    const running = this.active.get(id);
    if (running === undefined) {
      const others = [...this.active.keys()];
      return Promise.reject(
        new UserError(
          `There is no capture ${id}.`,
          others.length === 0
            ? "No capture is running. start_capture begins one; list_runs lists the finished ones."
            : `Running: ${others.join(", ")}.`,
        ),
      );
    }
    const result = this.end(id, running);
    this.results.set(id, result);
    return result;
  }

  /** When the server ends: nothing that was captured is lost. */
  async stopAll(): Promise<void> {
    this.ended.abort();
    await Promise.allSettled([...this.active.keys()].map((id) => this.stop(id)));
    await Promise.allSettled(this.results.values());
  }

  private async end(id: string, { capture, directory, notices, timer }: Running): Promise<CaptureResult> {
    clearTimeout(timer);
    await capture.stop();
    this.active.delete(id);
    const { run, answered: endpointsAnswered, nothing } = capture;
    if (nothing !== undefined) {
      const silent = capture.endpoints().map(classOf);
      await capture.discard();
      await rmdir(directory).catch(() => undefined);
      throw new UserError(`${NOTHING_CAPTURED} ${silent.join("; ")}`.trimEnd(), nothing.remedy);
    }
    try {
      const files = await exportArtifacts(run, { directory, formats: withIdleParts(run, FORMATS), verify: true });
      await capture.discard();
      const summary = await writeSummary(run, { directory, files });
      if ("problem" in summary) notices.add(summary.problem.reason);
      return {
        id,
        files: files.map(({ path }) => this.folder.idOf(path)),
        scrapes: run.store.scrapes,
        endpointsAnswered,
        notices: [...notices],
      };
    } catch (error) {
      throw new UserError(
        errorText(error),
        `Nothing is lost: the user can run server-metrics recover '${capture.journalPath ?? directory}' --out DIR.`,
      );
    }
  }
}

/** Why an endpoint brings nothing, by its class. */
function classOf(endpoint: {
  readonly displayName: string;
  readonly problem?: Problem;
  readonly problems?: readonly Problem[];
}): string {
  const [first] = endpoint.problems ?? [];
  const failure = (endpoint.problem ?? first)?.failure ?? "parse";
  return `${endpoint.displayName}: ${failure === "parse" ? "no metrics" : failure}`;
}
