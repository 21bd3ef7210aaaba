import { MessageChannel } from "node:worker_threads";
import type { WindowRule } from "../../core/model/index.js";
import type { Reach } from "../../files/opener.js";
import {
  DEFAULT_COMPARISON_SETTINGS,
  type ComparisonEngineRequests,
  type ComparisonEvents,
  type ComparisonSettings,
} from "../../protocol/comparison.js";
import {
  ChannelClient,
  type EngineEvents,
  type EngineRequests,
  type Port,
  type Report,
  type RequestsOf,
} from "../../protocol/index.js";
import { ComparisonEngine } from "../comparison/comparison.js";
import { Engine } from "../engine.js";
import { threadPort } from "../port.js";
import { reportOfComparison, reportOfRun } from "./index.js";
import { compareSets } from "./record-comparison.js";
import type { RunRecording } from "./record-run.js";

/**
 * A report of a run, read in this thread.
 * @param paths its files, the best first
 * @throws UserError where none can be read; the signal's reason
 */
export function runReport(
  [path = "", ...instead]: readonly string[],
  { window, within, ...recording }: RunRecording & Reach & { readonly window?: WindowRule } = {},
): Promise<Report> {
  const reach = within === undefined ? {} : { within };
  return inThisThread<EngineRequests, EngineEvents, Report>(
    (port) => {
      const engine = new Engine(port);
      return () => engine.dispose();
    },
    async (client) => {
      await client.call("open", { path, instead, ...reach }, recording.signal);
      if (window !== undefined) await client.call("adjust", { windowRule: window });
      return reportOfRun(client, { ...recording, ...reach });
    },
  );
}

/**
 * A report of runs, compared in this thread.
 * @param sets paths of repeats, the baseline's first
 * @throws UserError where they cannot be read or compared; the signal's reason
 */
export function comparisonReport(
  sets: readonly (readonly string[])[],
  settings: Partial<ComparisonSettings>,
  reach: Reach = {},
): Promise<Report> {
  return inThisThread<ComparisonEngineRequests, ComparisonEvents, Report>(
    (port) => {
      new ComparisonEngine(port);
      return () => undefined;
    },
    async (client) => {
      await compareSets(client, sets, { ...DEFAULT_COMPARISON_SETTINGS, ...settings }, reach);
      return reportOfComparison(client, reach);
    },
  );
}

/**
 * An engine in this thread, for as long as it is used.
 * @param start begins to answer at the port, and returns what ends that
 */
async function inThisThread<Requests extends RequestsOf<Requests>, Events, T>(
  start: (port: Port) => () => Promise<void> | void,
  use: (client: ChannelClient<Requests, Events>) => Promise<T>,
): Promise<T> {
  const { port1, port2 } = new MessageChannel();
  const end = start(threadPort(port1));
  const client = new ChannelClient<Requests, Events>(threadPort(port2));
  try {
    return await use(client);
  } finally {
    client.dispose();
    await end();
    port1.close();
    port2.close();
  }
}
