import { runInsights, type Finding, type FindingId } from "../../src/core/insights/index.js";
import { complete } from "../../src/core/stats/index.js";
import { handmadeLog, type Handmade } from "./handmade.js";
import { replayLines } from "./replay.js";

/** What is found in a minute of handmade servers, scraped each second. */
export async function findings(...servers: readonly Handmade[]): Promise<readonly Finding[]> {
  return complete(runInsights({ kind: "samples", run: await replayLines(await handmadeLog(servers)) })).findings;
}

export async function finding(id: FindingId, ...servers: readonly Handmade[]): Promise<Finding | undefined> {
  return (await findings(...servers)).find((one) => one.id === id);
}
