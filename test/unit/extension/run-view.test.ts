import { MessageChannel } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import type { SeriesId } from "../../../src/core/model/index.js";
import { threadPort } from "../../../src/engine/port.js";
import { type PageHost, ViewBridge, endedSource, type RunSource } from "../../../src/extension/view/bridge.js";
import { viewHtml } from "../../../src/extension/view/html.js";
import {
  ChannelClient,
  type Message,
  type Port,
  type RunDescription,
  type RunEvents,
  type RunRequests,
  type ViewEvents,
  type ViewRequests,
} from "../../../src/protocol/index.js";
import { sourceOf } from "../../support/run-source.js";
import { runHeader } from "../../support/run-header.js";

const description: RunDescription = {
  header: runHeader({ state: "capturing", adjustable: false }),
  families: [],
  tiles: [],
};

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Two ends of a real structured-clone pipe, as a webview's is. */
function pipe(): [Port, Port] {
  const { port1, port2 } = new MessageChannel();
  closing.push(() => port1.close());
  return [threadPort(port1), threadPort(port2)];
}

const host: PageHost = {
  findings: () => Promise.reject(new Error("not asked here")),
  copy: () => null,
  captureCommand: () => null,
  exportReport: () => null,
  endpointCommand: () => null,
  showFile: () => null,
  openInstance: () => null,
  assertions: () => [],
  objectives: () => [],
  linkState: () => ({ linked: false, others: 0 }),
  link: () => null,
  followLinked: () => null,
  loadLayout: () => ({ charts: [{ family: "f" }], tab: "charts" }),
  saveLayout: () => null,
};

function connect(source: RunSource) {
  const [hostEnd, viewEnd] = pipe();
  const bridge = new ViewBridge(hostEnd, source, host);
  return { bridge, view: new ChannelClient<ViewRequests, ViewEvents>(viewEnd) };
}

function liveSource() {
  const [runEnd, sourceEnd] = pipe();
  const events = new ChannelClient<RunRequests, RunEvents>(sourceEnd);
  const heard = new Set<string>();
  const source = sourceOf(
    {
      describe: () => description,
      series: () => [],
      labels: () => [],
      chart: ({ family }) => ({
        family,
        seriesTotal: 1,
        lines: [
          {
            series: 0 as SeriesId,
            endpointUrl: "u",
            labels: [],
            quantity: "value",
            times: new Float64Array([1, 2]),
            values: new Float64Array([3, NaN]),
          },
        ],
      }),
      statistics: () => Promise.reject(new Error("too much")),
      timeslices: () => new Promise(() => undefined),
      adjust: () => null,
      follow: () => null,
    },
    (name, listener) => {
      heard.add(name);
      const end = events.on(name, listener);
      return () => {
        heard.delete(name);
        end();
      };
    },
  );
  return {
    source,
    heard,
    report: (name: keyof RunEvents, payload: unknown) => runEnd.post({ kind: "event", name, payload }),
  };
}

describe("the bridge between a page and its run", () => {
  it("answers from the run and from the host, with typed arrays as typed arrays", async () => {
    const { view } = connect(liveSource().source);
    expect((await view.call("describe", {})).header.benchmarkId).toBe("id");
    const chart = await view.call("chart", { family: "f", maxSeries: 1, maxPoints: 10 });
    expect(chart.lines[0]?.values).toBeInstanceOf(Float64Array);
    expect([...chart.lines[0]!.values]).toEqual([3, NaN]);
    expect(await view.call("loadLayout", {})).toEqual({ charts: [{ family: "f" }], tab: "charts" });
  });

  it("tells a question how far its answer is, and no other one", async () => {
    const slow = sourceOf({
      statistics: (_params, _signal, report) => {
        report({ done: 1, of: 3, steps: "metrics" });
        report({ done: 2, of: 3, steps: "metrics" });
        return Promise.reject(new Error("too much"));
      },
    });
    const { view } = connect(slow);
    const heard: unknown[] = [];
    const other = view.call("loadLayout", {}, undefined, (progress) => heard.push(["other", progress]));
    await expect(
      view.call("statistics", { type: "gauge" }, undefined, ({ done, of, steps }) => heard.push([done, of, steps])),
    ).rejects.toThrow("too much");
    await other;
    expect(heard).toEqual([
      [1, 3, "metrics"],
      [2, 3, "metrics"],
    ]);
  });

  it("settles a request that fails with its words", async () => {
    const { view } = connect(liveSource().source);
    await expect(view.call("statistics", { family: "f" })).rejects.toMatchObject({ message: "too much" });
  });

  it("passes on what the run reports until it is disposed", async () => {
    const { source, heard: listened, report } = liveSource();
    const { bridge, view } = connect(source);
    const heard = new Promise((resolve) => view.on("progress", resolve));
    report("progress", { header: description.header, tiles: [] });
    expect(await heard).toMatchObject({ header: { scrapes: 1 } });
    bridge.dispose();
    expect([...listened]).toEqual([]);
  });

  it("keeps what the host has to say until the page has its description", async () => {
    const { bridge, view } = connect(liveSource().source);
    const heard: string[] = [];
    view.on("showInChart", ({ family }) => heard.push(family));
    bridge.send("showInChart", { family: "early" });
    await view.call("loadLayout", {});
    expect(heard).toEqual([]);
    await view.call("describe", {});
    await view.call("loadLayout", {});
    bridge.send("showInChart", { family: "late" });
    await view.call("loadLayout", {});
    expect(heard).toEqual(["early", "late"]);
  });

  it("posts no answer to a page that has been replaced", async () => {
    const [hostEnd, viewEnd] = pipe();
    let answer: (value: RunDescription) => void = () => undefined;
    const slow = sourceOf({ describe: () => new Promise((resolve) => (answer = resolve)) });
    const bridge = new ViewBridge(hostEnd, slow, host);
    const messages: Message[] = [];
    viewEnd.listen((message) => messages.push(message));
    const asked = new Promise<void>((resolve) => hostEnd.listen(() => resolve()));
    viewEnd.post({ kind: "request", id: 1, name: "describe", params: {} });
    await asked;
    bridge.dispose();
    answer(description);
    // A message posted later arrives, so an earlier one would have too.
    const later = new Promise<void>((resolve) => viewEnd.listen((message) => message.kind === "event" && resolve()));
    hostEnd.post({ kind: "event", name: "end", payload: null });
    await later;
    expect(messages.map(({ kind }) => kind)).toEqual(["event"]);
  });

  it("says of a run that is gone why, and what to do", async () => {
    const { view } = connect(endedSource("The capture ended with the window.", "Recover it."));
    await expect(view.call("describe", {})).rejects.toMatchObject({
      code: "run-gone",
      message: "The capture ended with the window.",
      remedy: "Recover it.",
    });
    expect(await view.call("loadLayout", {})).not.toBeNull();
  });
});

describe("the page", () => {
  const html = viewHtml({
    cspSource: "https://cdn.example",
    nonce: "bm9uY2U=",
    script: "https://cdn.example/webview.js",
    styles: ["https://cdn.example/a.css", "https://cdn.example/b.css"],
    view: "comparison",
  });

  it("runs only its own script, and connects to nothing", () => {
    const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(html)?.[1];
    expect(policy).toBe(
      "default-src 'none'; script-src 'nonce-bm9uY2U='; style-src https://cdn.example 'nonce-bm9uY2U='; img-src https://cdn.example data:; font-src https://cdn.example",
    );
    expect([...html.matchAll(/<script\b[^>]*>/g)].map(([tag]) => tag)).toEqual([
      '<script nonce="bm9uY2U=" src="https://cdn.example/webview.js">',
    ]);
  });

  it("links its styles and tells the toolkit the nonce", () => {
    expect(html.match(/rel="stylesheet"/g)).toHaveLength(2);
    expect(html).toContain('<meta property="csp-nonce" content="bm9uY2U=">');
    expect(html).toContain('<div id="root" data-view="comparison"></div>');
  });
});
