import { UserError } from "../../core/text/user-error.js";
import { type Handlers, type ProgressListener, type RunEvents, type RunRequests } from "../../protocol/index.js";

export type RunListener = { readonly [K in keyof RunEvents]: (payload: RunEvents[K]) => void };

/** Whatever answers for the run a view shows: an engine with a capture, a rebuilt run or an opened file. */
export interface RunSource {
  readonly requests: Handlers<RunRequests>;
  /** Passes on what the run reports; returns what ends that. */
  subscribe(listener: RunListener): () => void;
}

/** Answers any request on a run. */
type RunAnswerer = <K extends keyof RunRequests>(
  name: K,
  params: RunRequests[K]["params"],
  signal: AbortSignal,
  report: ProgressListener,
) => Promise<RunRequests[K]["result"]>;

/** The one list of what can be asked of a run: every source hands its requests on through it. */
export function relayed(answer: RunAnswerer): Handlers<RunRequests> {
  const by =
    <K extends keyof RunRequests>(name: K) =>
    (params: RunRequests[K]["params"], signal: AbortSignal, report: ProgressListener) =>
      answer(name, params, signal, report);
  return {
    snapshot: by("snapshot"),
    series: by("series"),
    configuration: by("configuration"),
    findings: by("findings"),
    clientServer: by("clientServer"),
    movesWith: by("movesWith"),
    addClient: by("addClient"),
    dashboard: by("dashboard"),
    instances: by("instances"),
    instanceCourse: by("instanceCourse"),
    tiles: by("tiles"),
    moment: by("moment"),
    labels: by("labels"),
    chart: by("chart"),
    changes: by("changes"),
    statistics: by("statistics"),
    timeslices: by("timeslices"),
    heatmap: by("heatmap"),
    distribution: by("distribution"),
    check: by("check"),
    slo: by("slo"),
    ranking: by("ranking"),
    shares: by("shares"),
    vector: by("vector"),
    adjust: by("adjust"),
    follow: by("follow"),
  };
}

/** What a source needs of an engine. */
export interface RunClient {
  call<K extends keyof RunRequests>(
    name: K,
    params: RunRequests[K]["params"],
    signal?: AbortSignal,
    onProgress?: ProgressListener,
  ): Promise<RunRequests[K]["result"]>;
  on<K extends keyof RunEvents>(name: K, listener: (payload: RunEvents[K]) => void): () => void;
}

/** A run in an engine. Typed arrays pass through as they are. */
export function engineSource(client: RunClient): RunSource {
  return {
    requests: relayed((name, params, signal, report) => client.call(name, params, signal, report)),
    subscribe(listener) {
      const ends = [client.on("progress", listener.progress), client.on("families", listener.families)];
      return () => {
        for (const end of ends) end();
      };
    },
  };
}

/** A run that is no more: every request is refused with the reason. */
export function endedSource(message: string, remedy: string): RunSource {
  return {
    requests: relayed(() => Promise.reject(new UserError(message, remedy, { code: "run-gone" }))),
    subscribe: () => () => {},
  };
}
