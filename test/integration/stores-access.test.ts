import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { ChannelClient, EngineEvents, EngineRequests } from "../../src/protocol/index.js";
import { engineInThread } from "../support/engine-in-thread.js";
import { serve, type TestServer } from "../support/faulty-server.js";
import { missingPrograms, startPrometheus, type RunningStore } from "../support/stores.js";
import { memento } from "../support/memento.js";

const { settings, vscode } = vi.hoisted(() => {
  const settings = new Map<string, unknown>();
  const vscode = {
    typed: undefined as string | undefined,
    workspace: {
      workspaceFolders: undefined,
      getConfiguration: () => ({
        get: (key: string, byDefault: unknown) => settings.get(key) ?? byDefault,
        inspect: (key: string) => ({ globalValue: settings.get(key) }),
      }),
    },
    window: { createInputBox: () => inputBox(() => vscode.typed) },
    MarkdownString: class {},
    TreeItem: class {},
    ProgressLocation: {},
  };
  return { settings, vscode };
});
vi.mock("vscode", () => vscode);
const { inputBox } = await import("../support/input-box.js");
const { remoteWriteOptions, withAccess } = await import("../../src/extension/capture/request.js");
const { EndpointHeaders } = await import("../../src/extension/headers.js");
const { Origins } = await import("../../src/extension/origins.js");

const origins = new Origins(memento());

const missing = await missingPrograms("prometheus");
const what = "a store that asks who is there";
describe.skipIf(missing.length > 0)(missing.length > 0 ? `${what} (not installed: ${missing.join()})` : what, () => {
  let prometheus: RunningStore;
  /** In front of it, for those who bring a token. */
  let proxy: TestServer;
  let engine: ChannelClient<EngineRequests, EngineEvents>;
  let headers: InstanceType<typeof EndpointHeaders>;
  const basic = `Basic ${Buffer.from("admin:test").toString("base64")}`;

  beforeAll(async () => {
    prometheus = await startPrometheus({ password: "test" });
    proxy = await serve((request, response) => {
      if (request.headers.authorization !== "Bearer t0ken") return void response.writeHead(401).end("no token");
      void fetch(prometheus.url + (request.url ?? ""), { headers: { authorization: basic } }).then(async (answer) =>
        response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text()),
      );
    });
    engine = engineInThread();
  });
  afterAll(async () => {
    engine.dispose();
    await proxy.close();
    await prometheus.close();
  });
  beforeEach(() => {
    settings.clear();
    vscode.typed = undefined;
    const stored = new Map<string, string>();
    headers = new EndpointHeaders(
      {
        get: (key) => Promise.resolve(stored.get(key)),
        store: (key, value) => Promise.resolve(void stored.set(key, value)),
        delete: (key) => Promise.resolve(void stored.delete(key)),
        onDidChange: () => ({ dispose: () => undefined }),
      },
      origins,
    );
  });
  afterEach(() => vi.unstubAllEnvs());

  const found = async (url: string) => {
    const [store] = await withAccess([{ url, origin: "typed" }], headers);
    if (store === undefined) throw new Error("no store");
    const endMs = Date.now();
    return engine.call("findStored", { store, selectors: ["up"], startMs: endMs - 60_000, endMs });
  };

  it("is read with headers that its settings name by reference", async () => {
    await expect(found(prometheus.url)).rejects.toMatchObject({
      code: "store",
      message: expect.stringContaining("HTTP 401") as string,
    });
    vi.stubEnv("SM_STORE_BASIC", basic);
    settings.set("serverMetrics.stores", [
      { url: prometheus.url, headers: { Authorization: "${env:SM_STORE_BASIC}" } },
      { url: proxy.origin, headers: { Authorization: "Bearer ${secret:STORE_TOKEN}" } },
    ]);
    expect(await found(prometheus.url)).toMatchObject({ series: 0 });
    // A secret that is not there yet is asked for, once.
    vscode.typed = "t0ken";
    expect(await found(proxy.origin)).toMatchObject({ series: 0 });
    vscode.typed = undefined;
    expect(await found(proxy.origin)).toMatchObject({ series: 0 });
    vi.unstubAllEnvs();
    await expect(found(prometheus.url)).rejects.toThrow(/serverMetrics\.stores.*SM_STORE_BASIC/);
  });

  it("is read with user and password of an address, which are kept as a secret", async () => {
    const url = prometheus.url.replace("http://", "http://admin:test@");
    const kept = await headers.takeCredentials(`${url}?team=a&token=s3cret`, "store");
    // An endpoint's address would end in /metrics.
    expect(kept).toBe(`${prometheus.url}/?team=a&token=REDACTED`);
    expect(await found(kept)).toMatchObject({ series: 0 });
  });

  it("is written to with its headers and the labels of the settings", async () => {
    vi.stubEnv("SM_STORE_BASIC", basic);
    settings.set("serverMetrics.stores", [
      { url: prometheus.url, headers: { Authorization: "${env:SM_STORE_BASIC}" } },
    ]);
    settings.set("serverMetrics.remoteWrite", prometheus.url);
    settings.set("serverMetrics.remoteWriteLabels", { cluster: "a100", run_id: "42" });
    expect(await remoteWriteOptions(headers)).toMatchObject({
      store: { headers: { Authorization: basic } },
      labels: { cluster: "a100", run_id: "42" },
    });
    for (const wrong of [{ le: "1" }, { "a b": "c" }, { a: 1 }, ["a"], { __name__: "x" }]) {
      settings.set("serverMetrics.remoteWriteLabels", wrong);
      await expect(remoteWriteOptions(headers)).rejects.toThrow(/serverMetrics\.remoteWriteLabels/);
    }
  });
});
