import { UserError } from "../../../src/core/text/errors.js";
import { offsetNs } from "../../../src/core/model/index.js";
import {
  ChannelServer,
  type Handlers,
  type RunHeader,
  type RunState,
  type ViewEvents,
  type ViewRequests,
} from "../../../src/protocol/index.js";
import { chart, FAMILIES, labels, series, type SyntheticRun } from "./data.js";
import { ASSERTIONS, changes, check, distribution, heatmap } from "./data-charts.js";
import { header, tiles } from "./data-header.js";
import { dashboard, instanceCourse, instances, ranking, shares, vector } from "./data-overview.js";
import { CONFIGURATION, snapshot, statistics, timeslices } from "./data-tables.js";
import { setUpPage } from "./page.js";

/*
 * The page's other half: stands for VS Code and the extension host, answering the view's real bundle over window
 * messages. ?theme=dark|light|hc
 * ?scenario=live|warmup|reading|saved|large|client|snapshot|empty|broken|gone  ?reading=3/12: the statistics are never
 * there  ?seconds=1667&every=333: how long the run has been and how often it goes on, in ms  ?events: of servers
 * ?totals: the run is one of totals over instances
 */

const scenario = new URLSearchParams(location.search).get("scenario") ?? "live";
const { query, port } = setUpPage(`view-state-${scenario}`);

/** What a test may look at and do from outside. */
interface Harness {
  readonly calls: { readonly name: string; readonly params: unknown }[];
  /** Requests of these names are rejected. */
  readonly failing: Set<string>;
  showInChart(payload: ViewEvents["showInChart"]): void;
  followLinked(payload: ViewEvents["followLinked"]): void;
  progress(): void;
}

declare global {
  interface Window {
    harness: Harness;
  }
}

const startedAt = performance.now();
const states: { readonly [scenario: string]: RunState } = {
  saved: "opened",
  large: "opened",
  client: "opened",
  snapshot: "opened",
  reading: "opening",
};
const startSeconds = Number(query.get("seconds") ?? (scenario === "warmup" ? 12 : 150));
let extra = 0;
const run: SyntheticRun = {
  sliceSeconds: 5,
  window: undefined,
  state: states[scenario] ?? "capturing",
  now: () =>
    startSeconds +
    (states[scenario] === "opened" ? 0 : extra + (query.has("still") ? 0 : (performance.now() - startedAt) / 1000)),
};

const calls: { name: string; params: unknown }[] = [];
const failing = new Set<string>(
  scenario === "broken"
    ? ["chart", "statistics", "timeslices", "captureCommand"]
    : scenario === "gone"
      ? ["describe"]
      : [],
);

const TOTALS: NonNullable<RunHeader["totals"]> = {
  url: "http://prometheus.example:9090",
  selectors: ['{job="vllm"}'],
  startMs: 0,
  endMs: 60_000,
  stepSeconds: 15,
  instances: Array.from({ length: 240 }, (_, i) => `gpu-${i}.example:8000`),
};

/** Requests in bursts, and changes of the KV cache between them. */
function serverEvents(): NonNullable<RunHeader["events"]> {
  const at = (seconds: number) => offsetNs(seconds * 1e9);
  return Array.from({ length: 24 }, (_, i) =>
    i % 3 === 0
      ? { kind: "kv-cache" as const, time: at(i * 6), count: 12, label: "12 KV-cache events" }
      : { kind: "request" as const, time: at(i * 6), count: 1, label: `Request ${i}, 1.5 s, first token after 250 ms` },
  );
}

function runHeader(): ReturnType<typeof header> {
  const full: RunHeader = {
    ...header(run),
    ...(query.has("events") ? { events: serverEvents() } : {}),
    ...(query.has("totals") ? { totals: TOTALS } : {}),
  };
  if (scenario === "snapshot")
    return {
      ...full,
      adjustable: false,
      exportable: [],
      file: { path: "/data/vllm.prom", format: "snapshot", bytes: 31_200, siblings: [] },
    };
  if (scenario === "large")
    return {
      ...full,
      file: {
        path: "/data/server_metrics_export.parquet",
        format: "parquet",
        bytes: 3_100_000_000,
        lacks: "failed scrapes and their latencies",
        siblings: [{ path: "/data/server_metrics_export.jsonl", format: "jsonl" }],
      },
    };
  if (scenario !== "empty") return full;
  return {
    ...full,
    scrapes: 0,
    gaps: 12,
    facts: [],
    marks: [],
    endpoints: full.endpoints.slice(2).concat({
      url: "http://localhost:8000/metrics",
      displayName: "localhost:8000",
      state: "disabled",
      scrapes: 1,
      failures: 1,
      missedTicks: 0,
      servers: [],
      families: 0,
      series: 0,
      problems: [
        {
          severity: "error",
          reason: "localhost:8000 answers with application/json, not with Prometheus metrics.",
          remedy:
            "For TensorRT-LLM set return_perf_metrics: true; to leave it out, set the endpoint's enabled to false.",
        },
      ],
    }),
  };
}

const nothing = scenario === "empty";
const summaries = () => {
  const all = nothing ? [] : FAMILIES.map(({ labelSets: _labels, level: _level, ...summary }) => summary);
  const [first] = all;
  return scenario === "client" && first !== undefined
    ? [...all, { ...first, name: "client:time_to_first_token_seconds", displayName: "Client | Time to First Token" }]
    : all;
};
const currentTiles = () => (nothing ? [] : tiles(run));

/** Each answer is noted, fails when it is meant to, and takes a moment like a real one. */
function answering<K extends keyof ViewRequests>(
  name: K,
  answer: (params: ViewRequests[K]["params"]) => ViewRequests[K]["result"],
) {
  return async (params: ViewRequests[K]["params"]): Promise<ViewRequests[K]["result"]> => {
    calls.push({ name, params });
    // A function of this script: the bench of the page's work tells by it what is the host's.
    await new Promise<void>((resolve) => setTimeout(() => resolve(), 5));
    if (failing.has(name) && scenario === "gone") {
      throw new UserError(
        "The capture shown here ended when the window was closed.",
        "If it had not been saved, it can be recovered. Saved runs are in the Artifacts view.",
        { code: "run-gone" },
      );
    }
    if (failing.has(name)) {
      throw new UserError(
        "the engine of this run does not answer",
        "Reload the window; the journal keeps every scrape.",
        { code: "engine-gone" },
      );
    }
    return answer(params);
  };
}

const handlers: Handlers<ViewRequests> = {
  describe: answering("describe", () => ({ header: runHeader(), families: summaries(), tiles: currentTiles() })),
  series: answering("series", ({ family }) => series(family)),
  configuration: answering("configuration", () => CONFIGURATION),
  findings: answering("findings", () => ({
    findings: [
      {
        id: "kv-pressure",
        title: "The KV cache is the limit",
        text: "localhost:8000: KV cache usage reached 97 % and was above 90 % for 40 % of the time.",
        advice: "Give the cache more memory.",
        confidence: "high",
        weight: 0.8,
        evidence: [
          {
            family: "vllm:kv_cache_usage_perc",
            endpointUrl: runHeader().endpoints[0]?.url ?? "",
            statistic: "max",
            start: runHeader().profilingStart,
            end: runHeader().now,
            value: 0.97,
            threshold: 0.9,
            unit: "ratio",
          },
        ],
      },
    ],
    checked: ["The KV cache is the limit"],
    unjudged: [],
    capacities: [],
    latencies: [],
  })),
  clientServer: answering("clientServer", () => [
    {
      metric: "ttft",
      title: "Time to first token",
      clientFamily: "client:time_to_first_token_seconds",
      clientUrl: "client",
      clientAverage: 0.31,
      server: "vLLM",
      serverFamily: "vllm:time_to_first_token_seconds",
      serverUrls: [runHeader().endpoints[0]?.url ?? ""],
      serverAverage: 0.27,
      serverCount: 1200,
      difference: 0.04,
      share: 0.13,
      shareClass: "10-25 %",
      note: "The client waits longer than the server works.",
    },
  ]),
  movesWith: answering("movesWith", ({ family }) => ({
    family,
    title: family,
    slices: 60,
    tested: 40,
    movers: [
      {
        family: "vllm:num_requests_waiting",
        title: "Requests waiting",
        correlation: 0.82,
        lagSeconds: -5,
        p: 0.0004,
        q: 0.01,
      },
    ],
  })),
  addClient: answering("addClient", () => []),
  dashboard: answering("dashboard", ({ server, endpointUrl }) => dashboard(run, server, endpointUrl)),
  instances: answering("instances", ({ server }) => instances(run, server)),
  instanceCourse: answering("instanceCourse", ({ metric }) => instanceCourse(run, metric)),
  tiles: answering("tiles", () => tiles(run)),
  snapshot: answering("snapshot", snapshot),
  labels: answering("labels", () => (nothing ? [] : labels())),
  chart: answering("chart", (params) => chart(run, params)),
  changes: answering("changes", ({ family }) => (query.has("changes") ? changes(run, family) : [])),
  statistics: async (params, _signal, report) => {
    const answer = await answering("statistics", statistics)(params);
    const [done, of] = (query.get("reading") ?? "").split("/").map(Number);
    if (done === undefined || of === undefined) return answer;
    report({ done, of, steps: "metrics" });
    return new Promise(() => undefined);
  },
  timeslices: answering("timeslices", ({ family }) => timeslices(run, family)),
  heatmap: answering("heatmap", ({ family }) => heatmap(family)),
  distribution: answering("distribution", ({ family }) => distribution(family)),
  check: answering("check", ({ assertions }) => assertions.map((assertion) => check(assertion))),
  slo: answering("slo", ({ objectives }) => ({ attained: [], missing: objectives.map(({ name }) => name) })),
  ranking: answering("ranking", (params) => ranking(params)),
  shares: answering("shares", (params) => shares(params)),
  vector: answering("vector", ({ family }) => vector(run, family)),
  follow: answering("follow", () => null),
  adjust: answering("adjust", ({ sliceSeconds, window: chosen, profilingStart }) => {
    if (sliceSeconds !== undefined && !(sliceSeconds >= 0.1))
      throw new UserError(`a slice of ${sliceSeconds} s is shorter than a scrape`, "Choose 0.1 s or more.", {
        code: "unusable-settings",
      });
    run.sliceSeconds = sliceSeconds ?? run.sliceSeconds;
    if (profilingStart === "recorded") delete run.warmup;
    else if (profilingStart !== undefined) run.warmup = profilingStart / 1e9;
    if (chosen !== undefined) run.window = chosen === "recorded" ? undefined : chosen;
    progress();
    return null;
  }),
  copy: answering("copy", () => null),
  captureCommand: answering("captureCommand", () => null),
  exportReport: () => null,
  endpointCommand: answering("endpointCommand", () => null),
  showFile: answering("showFile", () => null),
  openInstance: answering("openInstance", () => null),
  assertions: answering("assertions", () => (query.has("assertions") ? ASSERTIONS : [])),
  objectives: answering("objectives", () => []),
  linkState: answering("linkState", () => ({ linked: false, others: 0 })),
  link: answering("link", ({ linked }) => {
    server.emit("link", { linked, others: linked ? 1 : 0 });
    return null;
  }),
  followLinked: answering("followLinked", () => null),
  loadLayout: answering("loadLayout", () => null),
  saveLayout: answering("saveLayout", () => null),
};
const server = new ChannelServer<ViewRequests, ViewEvents>(port, handlers);
const progress = () => server.emit("progress", { header: runHeader(), tiles: currentTiles() });

window.harness = {
  calls,
  failing,
  showInChart: (payload) => server.emit("showInChart", payload),
  followLinked: (payload) => server.emit("followLinked", payload),
  progress: () => {
    extra += 1;
    progress();
  },
};

if (run.state === "capturing" && !query.has("still")) setInterval(progress, Number(query.get("every") ?? 1000));
