import { describe, expect, it } from "vitest";
import type { SeriesId } from "../../../src/core/model/index.js";
import { captureNode } from "../../../src/extension/tree/arguments.js";
import {
  childrenOf,
  nameOf,
  rowOf,
  valueOf,
  type CaptureModel,
  type CaptureNode,
} from "../../../src/extension/tree/capture-model.js";
import { familySummary } from "../../support/family-summary.js";
import { endpointStatus, runHeader } from "../../support/run-header.js";
import type { EndpointStatus, FamilySummary, RunHeader, SeriesSummary } from "../../../src/protocol/index.js";

const A = "http://a:8000/metrics";
const B = "http://b:8000/metrics";
const endpoint = (url: string, more: Partial<EndpointStatus> = {}) =>
  endpointStatus(url, { latencyMs: 12.3, scrapes: 5, servers: ["vLLM"], families: 2, series: 3, ...more });
const header = (endpoints: readonly EndpointStatus[]): RunHeader =>
  runHeader({ state: "capturing", adjustable: false, endpoints });
const family = (name: string, more: Partial<FamilySummary> = {}) =>
  familySummary(name, {
    displayName: name.toUpperCase(),
    description: `about ${name}`,
    group: "Queue and batch",
    server: "vLLM",
    ...more,
  });
let nextId = 0;
const series = (endpointUrl: string, last: number, labels: SeriesSummary["labels"] = []): SeriesSummary => ({
  id: nextId++ as SeriesId,
  endpointUrl,
  labels,
  last,
});

const { server: _server, ...unknownFamily } = family("odd", { group: "Other" });

const model: CaptureModel = {
  header: header([
    endpoint(A),
    endpoint(B, {
      state: "failing",
      problems: [{ severity: "warning", reason: "connection refused", remedy: "Start it." }],
    }),
  ]),
  families: [
    family("vllm:running"),
    family("vllm:kv", { unit: "ratio", group: "KV cache" }),
    family("vllm:ttft_seconds", { type: "histogram", unit: "seconds", group: "Latency" }),
    unknownFamily,
  ],
  series: new Map([
    ["vllm:running", [series(A, 3, [["engine", "0"]]), series(A, 4, [["engine", "1"]]), series(B, 7)]],
    ["vllm:kv", [series(A, 0.4567)]],
    ["vllm:ttft_seconds", [series(B, 1234)]],
    ["odd", [series(A, NaN)]],
  ]),
};
const under = (node?: CaptureNode) => childrenOf(model, node);
const [atA, atB] = under() as [CaptureNode, CaptureNode];
const groups = (node: CaptureNode) => under(node).map((child) => rowOf(model, child)?.label);
const find = (endpointNode: CaptureNode, name: string) =>
  under(endpointNode)
    .flatMap(under)
    .find((node) => node.kind === "family" && node.family === name)!;

describe("the Capture tree", () => {
  it("lists endpoints, then the groups of what each has", () => {
    expect(under().map((node) => rowOf(model, node)?.label)).toEqual(["a:8000", "b:8000"]);
    expect(groups(atA)).toEqual(["vLLM: Queue and batch", "vLLM: KV cache", "Other"]);
    expect(groups(atB)).toEqual(["vLLM: Queue and batch", "vLLM: Latency"]);
  });

  it("begins folded where there are many endpoints", () => {
    const folded = (count: number) => {
      const many = Array.from({ length: count }, (_, i) => endpoint(`http://h${i}:8000/metrics`));
      const all: CaptureModel = { ...model, header: header(many) };
      return childrenOf(all, undefined).map((node) => rowOf(all, node)?.folded);
    };
    expect(new Set(folded(4))).toEqual(new Set([false]));
    expect(new Set(folded(5))).toEqual(new Set([true]));
  });

  it("calls a known family by its title, with the exposed name beside its value", () => {
    const known = {
      ...model,
      families: [family("vllm:kv", { title: "KV cache usage", unit: "ratio", hint: "Watch it." })],
    };
    const row = rowOf(known, find(atA, "vllm:kv"));
    expect(row).toMatchObject({ label: "KV cache usage", description: "45.7 % · kv · gauge · ratio" });
    expect(row?.tooltip.split("\n").slice(0, 2)).toEqual(["KV cache usage", "vllm:kv"]);
    expect(row?.tooltip).toContain("Watch it.");
  });

  it("shows a family's value, type and unit, and its full name on hover", () => {
    expect(rowOf(model, find(atA, "vllm:kv"))).toMatchObject({
      label: "kv",
      name: "vllm:kv",
      description: "45.7 % · gauge · ratio",
      context: "family",
    });
    expect(rowOf(model, find(atA, "vllm:kv"))?.tooltip).toContain("vllm:kv");
    expect(rowOf(model, find(atA, "vllm:running"))).toMatchObject({ description: "2 series · gauge" });
    expect(rowOf(model, find(atB, "vllm:ttft_seconds"))).toMatchObject({
      description: "1,234 observations · histogram · seconds",
    });
    expect(rowOf(model, find(atA, "odd"))).toMatchObject({ label: "odd", description: "– · gauge" });
  });

  it("shows the series of this endpoint alone", () => {
    expect(under(find(atA, "vllm:running")).map((node) => rowOf(model, node)?.label)).toEqual([
      '{engine="0"}',
      '{engine="1"}',
    ]);
    expect(under(find(atB, "vllm:running")).map((node) => rowOf(model, node))).toMatchObject([
      { label: "(no labels)", description: "7" },
    ]);
  });

  it("gives every row an id of its own that stays the same", () => {
    const ids = (node?: CaptureNode): string[] => under(node).flatMap((child) => [child.id, ...ids(child)]);
    const all = ids();
    expect(all.length).toBeGreaterThan(15);
    expect(new Set(all).size).toBe(all.length);
    expect(ids()).toEqual(all);
  });

  it("says beside a failing endpoint what is wrong and what to do, and marks it while capturing", () => {
    expect(rowOf(model, atB)).toMatchObject({
      context: "endpoint.capturing",
      color: "list.warningForeground",
      icon: "warning",
    });
    expect(rowOf(model, atB)?.tooltip).toContain("Connection refused. Start it.");
    const stopped = { ...model, header: { ...model.header!, state: "stopped" as const } };
    expect(rowOf(stopped, atB)).toMatchObject({ context: "endpoint", icon: "server" });
    expect(rowOf(stopped, atB)?.description).toMatch(/^unreachable at the end/);
    expect(rowOf(stopped, atA)?.description).toMatch(/^reachable at the end/);
    expect(rowOf(stopped, atB)?.color).toBeUndefined();
  });

  it("has no row for what is gone", () => {
    expect(rowOf({ ...model, header: header([endpoint(A)]) }, atB)).toBeUndefined();
    expect(rowOf({ ...model, families: [] }, find(atA, "vllm:kv"))).toBeUndefined();
  });

  it("copies names as Prometheus writes them and values in full", () => {
    const [engine0] = under(find(atA, "vllm:running"));
    expect(nameOf(model, engine0!)).toBe('vllm:running{engine="0"}');
    expect(valueOf(model, engine0!)).toBe("3");
    expect(valueOf(model, find(atA, "vllm:kv"))).toBe("0.4567");
    expect(valueOf(model, find(atA, "vllm:running"))).toBeUndefined();
    expect(valueOf(model, find(atA, "odd"))).toBeUndefined();
  });

  it("knows its own rows among what a command is given", () => {
    expect(captureNode(atA)).toBe(atA);
    for (const other of [undefined, null, "x", { kind: "file", url: "x" }, { kind: "endpoint" }])
      expect(captureNode(other)).toBeUndefined();
  });
});
