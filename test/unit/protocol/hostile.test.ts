import { describe, expect, it } from "vitest";
import { offsetNs } from "../../../src/core/model/index.js";
import { type PageHost, ViewBridge, webviewPort, type RunSource } from "../../../src/extension/view/bridge.js";
import {
  ChannelServer,
  COMPARISON_GUARDS,
  VIEW_GUARDS,
  type Handlers,
  type Message,
  type Port,
} from "../../../src/protocol/index.js";
import type { ComparisonViewRequests } from "../../../src/protocol/comparison.js";

interface Answer {
  readonly kind: string;
  readonly id: number;
  readonly ok: boolean;
  readonly error?: { readonly code: string };
}

/** A page that says whatever it likes, and all that the host did and answered. */
class Page {
  readonly answers: Answer[] = [];
  private listener: (message: Message) => void = () => undefined;
  readonly port: Port = webviewPort({
    postMessage: (message) => {
      this.answers.push(message as Answer);
      return Promise.resolve(true);
    },
    onDidReceiveMessage: (listener) => {
      this.listener = listener;
      return { dispose: () => undefined };
    },
  });

  async say(message: unknown): Promise<void> {
    this.listener(message as Message);
    await new Promise(setImmediate);
  }
}

function runPage() {
  const page = new Page();
  const done: string[] = [];
  const does = (name: string) => () => {
    done.push(name);
    return null;
  };
  const host: PageHost = {
    copy: does("copy"),
    captureCommand: does("captureCommand"),
    exportReport: () => null,
    endpointCommand: does("endpointCommand"),
    showFile: does("showFile"),
    openInstance: does("openInstance"),
    findings: () => Promise.reject(new Error("not asked here")),
    assertions: () => [],
    objectives: () => [],
    linkState: () => ({ linked: false, others: 0 }),
    link: does("link"),
    followLinked: does("followLinked"),
    loadLayout: does("loadLayout"),
    saveLayout: does("saveLayout"),
  };
  const source: RunSource = {
    call: (name) => {
      done.push(name);
      return Promise.reject(new Error("not answered here"));
    },
    on: () => () => undefined,
  };
  new ViewBridge(page.port, source, host);
  return { page, done };
}

const request = (name: string, params: unknown) => ({ kind: "request", id: 1, name, params });

describe("a page that was made to say something else", () => {
  it.each([
    ["copy", { text: 1, what: "x" }],
    ["copy", null],
    ["copy", "text"],
    ["copy", []],
    ["copy", Object.create({ text: "inherited", what: "x" })],
    ["captureCommand", { command: "workbench.action.terminal.new" }],
    ["captureCommand", { command: ["stop"] }],
    ["captureCommand", undefined],
    ["showFile", { path: { toString: "x" } }],
    ["showFile", { path: 1 }],
    ["openInstance", { instance: ["h:1"] }],
    ["endpointCommand", { command: "rm", url: "http://a" }],
    ["chart", { family: "f", maxSeries: 1e12, maxPoints: 10 }],
    ["chart", { family: "f", maxSeries: 5, maxPoints: -1 }],
    ["chart", { family: "f", maxSeries: 5, maxPoints: 10, series: [1.5] }],
    ["chart", { family: "f", maxSeries: 5, maxPoints: 10, from: "0" }],
    ["heatmap", { family: "f", maxColumns: Infinity }],
    ["ranking", { family: "f", count: Number.NaN }],
    ["statistics", { type: "__proto__" }],
    ["check", { assertions: [{ text: "x" }] }],
    ["slo", { objectives: [{ name: "ttft", threshold: "0.5" }] }],
    ["adjust", { window: "all" }],
    ["adjust", { window: { start: 0 } }],
    ["follow", { on: "yes" }],
    ["link", { linked: true, state: { zoom: null, charts: [{}], sliceSeconds: 1 } }],
    ["followLinked", { zoom: { from: 0 }, charts: [], sliceSeconds: 1 }],
    ["saveLayout", { charts: [{ family: "f", mode: "script" }], tab: "charts" }],
    ["saveLayout", { charts: {}, tab: "charts" }],
  ])("gets an error for %s with other params, and nothing is done", async (name, params) => {
    const { page, done } = runPage();
    await page.say(request(name, params));
    expect(page.answers).toMatchObject([{ kind: "response", id: 1, ok: false, error: { code: "invalid-request" } }]);
    expect(done).toEqual([]);
  });

  it.each(["", "nothing", "constructor", "__proto__", "toString", "hasOwnProperty", "startCapture", "moveJournal"])(
    "gets an error for the request “%s”, which is none of a page's",
    async (name) => {
      const { page, done } = runPage();
      await page.say(request(name, {}));
      expect(page.answers).toMatchObject([{ id: 1, ok: false, error: { code: "unknown-request" } }]);
      expect(done).toEqual([]);
    },
  );

  it.each([
    undefined,
    null,
    7,
    "request",
    [],
    {},
    { kind: "request" },
    { kind: "request", id: "1", name: "copy", params: {} },
    { kind: "request", id: -1, name: "copy", params: {} },
    { kind: "request", id: 1, name: ["copy"], params: { text: "", what: "" } },
    { kind: "response", id: 1, ok: true, result: 1 },
    { kind: "event", name: "progress", payload: {} },
    { kind: "cancel" },
    { kind: "cancel", id: {} },
    { kind: "__proto__", id: 1 },
  ])("is passed over where it is not a message: %j", async (message) => {
    const { page, done } = runPage();
    await page.say(message);
    expect([page.answers, done]).toEqual([[], []]);
    await page.say(request("copy", { text: "still", what: "answered" }));
    expect(done).toEqual(["copy"]);
  });

  it("cannot pass a second request off as one that is under way", async () => {
    const page = new Page();
    let asked = 0;
    new ChannelServer<{ wait: { params: unknown; result: null } }, object>(page.port, {
      wait: () => {
        asked++;
        return new Promise(() => undefined);
      },
    });
    await page.say(request("wait", {}));
    await page.say(request("wait", {}));
    expect([asked, page.answers]).toEqual([1, []]);
  });

  it.each([
    ["configure", { threshold: "3" }],
    ["configure", { directions: { f: "sideways" } }],
    ["configure", { labelRules: [{ label: "x", mode: "all" }] }],
    ["arrange", { order: [1] }],
    ["runChart", { row: "r", runs: [{ run: 1 }], maxPoints: 1, maxSeries: 1, maxJoined: 1 }],
    ["report", { format: "html" }],
    ["saveReport", { format: "../../x" }],
    ["openRun", { run: {} }],
    ["saveComparisonLayout", { layout: {} }],
    ["compare", { sources: [{ path: "/etc/passwd" }], settings: {} }],
    ["addSource", { source: { path: "/etc/passwd" } }],
  ])("gets an error in a comparison too: %s %j", async (name, params) => {
    const page = new Page();
    const done: string[] = [];
    const handlers = Object.fromEntries(
      Object.keys(COMPARISON_GUARDS).map((one) => [one, () => done.push(one)]),
    ) as unknown as Handlers<ComparisonViewRequests>;
    new ChannelServer<ComparisonViewRequests, object>(page.port, handlers, COMPARISON_GUARDS);
    await page.say(request(name, params));
    expect(page.answers).toMatchObject([{ id: 1, ok: false }]);
    expect(done).toEqual([]);
  });
});

describe("what pages do say passes", () => {
  it("in a run's view", () => {
    const charts = [{ family: "f", series: [0, 7], mode: "ranking", settings: { statistic: "avg", count: 10 } }];
    expect(VIEW_GUARDS.chart({ family: "f", series: [3], maxSeries: 20, maxPoints: 1000, from: offsetNs(-5) })).toBe(
      true,
    );
    expect(VIEW_GUARDS.statistics({ type: "histogram" })).toBe(true);
    expect(VIEW_GUARDS.statistics({ family: "f" })).toBe(true);
    expect(VIEW_GUARDS.adjust({ window: "recorded" })).toBe(true);
    expect(VIEW_GUARDS.adjust({ window: { start: 1.5, end: 2e9 } })).toBe(true);
    expect(VIEW_GUARDS.adjust({ sliceSeconds: 2, profilingStart: undefined })).toBe(true);
    expect(VIEW_GUARDS.followLinked({ zoom: null, charts: [{ family: "f" }], sliceSeconds: 5 })).toBe(true);
    const tables = { statistics: { subject: { type: "gauge" }, sorting: { key: "avg", descending: true }, text: "x" } };
    expect(VIEW_GUARDS.saveLayout({ charts, tab: "charts", pinned: ["f"], tables, changedAt: 1.7e12 })).toBe(true);
  });

  it("in a comparison", () => {
    const runs = [{ run: "a", window: {} }, { run: "b", window: { from: 0, to: 9.5 } }, { run: "c" }];
    expect(COMPARISON_GUARDS.runChart({ row: "r", runs, maxPoints: 1000, maxSeries: 6, maxJoined: 64 })).toBe(true);
    expect(COMPARISON_GUARDS.configure({ threshold: 0.03, directions: { f: "up" }, labelRules: [] })).toBe(true);
    expect(COMPARISON_GUARDS.report({ format: "csv", rows: ["r"] })).toBe(true);
  });
});
