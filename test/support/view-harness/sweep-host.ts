import { ChannelServer, type Handlers } from "../../../src/protocol/index.js";
import type { Sweep, SweepPoint, SweepViewRequests } from "../../../src/protocol/sweep.js";
import { setUpPage } from "./page.js";

/** The sweep page's other half: two configurations at four loads, one of which bends. ?theme=dark|light|hc */
const { port } = setUpPage("view-state-sweep");

function point(configuration: string, concurrency: number, tokens: number, seconds: number): SweepPoint {
  const path = `/runs/${configuration}/c${concurrency}/server_metrics_export.parquet`;
  const load = { kind: "concurrency", value: concurrency } as const;
  const throughput = { value: tokens, interval: [0.95 * tokens, 1.05 * tokens] } as const;
  const latency = { value: seconds };
  return {
    paths: [path],
    load,
    throughput,
    latency,
    pareto: configuration === "tp4",
    run: { path, configuration, load, latencies: {}, source: "server" },
  };
}

const curve = (configuration: string, factor: number) => ({
  configuration,
  points: [1, 8, 32, 128].map((load) =>
    point(configuration, load, factor * 1000 * Math.log2(load + 1), 0.4 + 0.02 * load),
  ),
});

const sweep: Sweep = {
  latency: "ttft",
  statistic: "p99",
  throughput: { title: "Output tokens", unit: "tokens/s" },
  series: [{ ...curve("tp4", 1.4), knee: 2 }, curve("tp2", 1)],
  skipped: [{ path: "/runs/broken", reason: "it has no latency" }],
};

const handlers: Handlers<SweepViewRequests> = {
  sweep: ({ latency = sweep.latency, statistic = sweep.statistic }) =>
    Promise.resolve({ folder: "/runs", sweep: { ...sweep, latency, statistic } }),
  exportReport: () => null,
  openFile: () => Promise.resolve(null),
};
new ChannelServer<SweepViewRequests, Record<string, never>>(port, handlers);
