import { runInsights, type Finding, type FindingId } from "../../src/core/insights/index.js";
import { complete } from "../../src/core/stats/index.js";
import { simulatedServerLog, type SimulatedServer } from "./simulated-server.js";
import { replayLines } from "./replay.js";

/** What is found in a minute of simulated servers, scraped each second. */
export async function findings(...servers: readonly SimulatedServer[]): Promise<readonly Finding[]> {
  return complete(runInsights({ kind: "samples", run: await replayLines(await simulatedServerLog(servers)) })).findings;
}

export async function finding(id: FindingId, ...servers: readonly SimulatedServer[]): Promise<Finding | undefined> {
  return (await findings(...servers)).find((one) => one.id === id);
}
