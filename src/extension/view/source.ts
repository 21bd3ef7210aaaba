import type { EngineClient } from "../../engine/client.js";
import { RequestError, type Handlers, type RunEvents, type RunRequests } from "../../protocol/index.js";

export type RunListener = { readonly [K in keyof RunEvents]: (payload: RunEvents[K]) => void };

/** Whatever answers for the run a view shows: an engine with a capture, a rebuilt run or an opened file. */
export interface RunSource {
  readonly requests: Handlers<RunRequests>;
  /** Passes on what the run reports; returns what ends that. */
  subscribe(listener: RunListener): () => void;
}

/** A run held by an engine. Typed arrays pass through as they are. */
export function engineSource(client: EngineClient): RunSource {
  return {
    requests: {
      snapshot: (params, signal) => client.call("snapshot", params, signal),
      series: (params, signal) => client.call("series", params, signal),
      chart: (params, signal) => client.call("chart", params, signal),
      statistics: (params, signal) => client.call("statistics", params, signal),
      timeslices: (params, signal) => client.call("timeslices", params, signal),
      heatmap: (params, signal) => client.call("heatmap", params, signal),
      distribution: (params, signal) => client.call("distribution", params, signal),
      adjust: (params, signal) => client.call("adjust", params, signal),
    },
    subscribe(listener) {
      const ends = [client.on("progress", listener.progress), client.on("families", listener.families)];
      return () => {
        for (const end of ends) end();
      };
    },
  };
}

/** A run that is no more: every request is refused with the reason. */
export function goneSource(message: string, remedy: string): RunSource {
  const refuse = (): never => {
    throw new RequestError({ code: "run-gone", message, remedy });
  };
  const requests = { snapshot: refuse, series: refuse, chart: refuse, statistics: refuse, timeslices: refuse, heatmap: refuse, distribution: refuse, adjust: refuse };
  return { requests, subscribe: () => () => {} };
}
