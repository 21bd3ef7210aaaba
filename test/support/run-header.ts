import { offsetNs } from "../../src/core/model/index.js";
import type { EndpointStatus, RunHeader } from "../../src/protocol/index.js";

/** The header of a saved run without endpoints, as far as a test does not say otherwise. */
export function runHeader(more: Partial<RunHeader> = {}): RunHeader {
  return {
    state: "opened",
    phase: "profiling",
    benchmarkId: "id",
    originMs: 0,
    originNs: "0",
    now: offsetNs(0),
    profilingStart: offsetNs(0),
    elapsedSeconds: 1,
    sliceDurationSeconds: 5,
    adjustable: true,
    exportable: [],
    scrapes: 1,
    gaps: 0,
    endpoints: [],
    facts: [],
    marks: [],
    problems: [],
    ...more,
  };
}

/** An endpoint that answers, as far as a test does not say otherwise. */
export function endpointStatus(url: string, more: Partial<EndpointStatus> = {}): EndpointStatus {
  return {
    url,
    displayName: new URL(url).host,
    state: "up",
    scrapes: 1,
    failures: 0,
    missedTicks: 0,
    servers: [],
    families: 1,
    series: 1,
    problems: [],
    ...more,
  };
}
