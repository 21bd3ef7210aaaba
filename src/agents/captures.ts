import { rmdir } from "node:fs/promises";
import { join } from "node:path";
import { artifactName } from "../core/artifacts/index.js";
import { DEFAULT_LIMITS, displayName, errorText } from "../core/model/index.js";
import { startCapture, type Capture } from "../engine/index.js";
import { exportArtifacts, journalName, newFolder, runFolderName } from "../files/index.js";
import { jsonEndpointsFile } from "../files/json-endpoints.js";
import type { ArtifactFormat } from "../protocol/index.js";
import { ToolError } from "./errors.js";
import type { RunFolder } from "./folder.js";

/** Those that the command line writes by default. */
const FORMATS: readonly ArtifactFormat[] = ["json", "csv", "parquet"];

export interface AgentCaptureRequest {
  readonly urls: readonly string[];
  /** Profiling time after the warm-up; absent: until it is stopped. */
  readonly durationSeconds?: number | undefined;
  readonly warmupSeconds?: number | undefined;
  readonly intervalMs?: number | undefined;
  readonly label?: string | undefined;
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
  readonly timer: NodeJS.Timeout | undefined;
}

/** The captures that agents began, each in a folder of its own below the folder of runs. */
export class AgentCaptures {
  private readonly active = new Map<string, Running>();
  private readonly results = new Map<string, Promise<CaptureResult>>();

  constructor(private readonly folder: RunFolder) {}

  running(): readonly { readonly id: string; readonly urls: readonly string[]; readonly seconds: number }[] {
    return [...this.active].map(([id, { capture, urls }]) => ({ id, urls, seconds: capture.elapsedSeconds }));
  }

  /** @throws RequestError when no endpoint answers or a setting cannot be used; FileError */
  async start(request: AgentCaptureRequest): Promise<{ readonly id: string; readonly endpoints: readonly object[] }> {
    const directory = await newFolder(this.folder.path, runFolderName(new Date(), request.label));
    const notices = new Set<string>();
    const starting = startCapture(
      {
        endpoints: request.urls.map((url) => ({ url, enabled: true })),
        intervalMs: request.intervalMs ?? 333,
        scrapeTimeoutMs: 10_000,
        reachabilityTimeoutMs: 10_000,
        flushPeriodMs: 2000,
        limits: DEFAULT_LIMITS,
        include: [],
        exclude: [],
        ...(request.label === undefined ? {} : { label: request.label }),
        warmup:
          request.warmupSeconds === undefined || request.warmupSeconds === 0
            ? { kind: "none" }
            : { kind: "duration", seconds: request.warmupSeconds },
        sliceDurationSeconds: 5,
        journalLimitBytes: 2 * 1024 ** 3,
        journalPath: join(directory, journalName(".server_metrics_")),
        jsonEndpointsPath: jsonEndpointsFile(),
      },
      {
        onNotice: (problem, url) =>
          void notices.add(`${url === undefined ? "" : `${displayName(url)}: `}${problem.reason}`),
        onStatus: () => undefined,
        onProbe: () => undefined,
      },
    );
    // A capture that did not start has written nothing.
    const { capture, reachability } = await starting.catch(async (error: unknown) => {
      await rmdir(directory).catch(() => undefined);
      throw error;
    });
    const id = this.folder.idOf(join(directory, artifactName("json").replace(/\.json$/, "")));
    const { durationSeconds } = request;
    const total = durationSeconds === undefined ? undefined : durationSeconds + (request.warmupSeconds ?? 0);
    // What fails is reported to whoever asks for the capture next.
    const timer =
      total === undefined
        ? undefined
        : setTimeout(() => void this.stop(id).catch(() => undefined), 1000 * (total - capture.elapsedSeconds));
    this.active.set(id, {
      capture,
      directory,
      urls: reachability.map((endpoint) => endpoint.displayName),
      notices,
      timer,
    });
    return {
      id,
      endpoints: reachability.map(({ displayName: endpoint, reachable, servers, problem }) => ({
        endpoint,
        reachable,
        ...(servers.length === 0 ? {} : { servers }),
        ...(problem === undefined ? {} : { problem: problem.reason }),
      })),
    };
  }

  /**
   * Ends a capture and writes its files; of one that has ended, tells them again.
   * @throws ToolError when there is no such capture, or its files could not be written
   */
  stop(id: string): Promise<CaptureResult> {
    const known = this.results.get(id);
    if (known !== undefined) return known;
    const running = this.active.get(id);
    if (running === undefined) {
      const others = [...this.active.keys()];
      return Promise.reject(
        new ToolError(
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
    await Promise.allSettled([...this.active.keys()].map((id) => this.stop(id)));
    await Promise.allSettled(this.results.values());
  }

  private async end(id: string, { capture, directory, notices, timer }: Running): Promise<CaptureResult> {
    clearTimeout(timer);
    await capture.stop();
    this.active.delete(id);
    const { run, answered: endpointsAnswered, nothing } = capture;
    if (nothing !== undefined) {
      await capture.discard();
      await rmdir(directory).catch(() => undefined);
      throw new ToolError(nothing.reason, nothing.remedy);
    }
    try {
      const files = await exportArtifacts(run, { directory, formats: FORMATS, verify: true });
      await capture.discard();
      return {
        id,
        files: files.map(({ path }) => this.folder.idOf(path)),
        scrapes: run.store.scrapes,
        endpointsAnswered,
        notices: [...notices],
      };
    } catch (error) {
      throw new ToolError(
        errorText(error),
        `Nothing is lost: the user can run server-metrics recover '${capture.journalPath ?? directory}' --out DIR.`,
      );
    }
  }
}
