import { MessageChannel } from "node:worker_threads";
import { afterEach, describe, expect, it, vi } from "vitest";
import { UserError } from "../../../src/core/text/errors.js";
import { threadPort } from "../../../src/engine/port.js";
import type { RunEngine } from "../../../src/extension/engine.js";
import type { Notifier } from "../../../src/extension/notify.js";
import type { RunSource } from "../../../src/extension/view/bridge.js";
import { refusing } from "../../support/run-source.js";
import {
  ChannelClient,
  ChannelServer,
  type EngineEvents,
  type EngineRequests,
  type Handlers,
  type OpenedFile,
  type RunDescription,
} from "../../../src/protocol/index.js";
import { runHeader } from "../../support/run-header.js";

vi.mock("vscode", () => ({
  Disposable: class {
    constructor(readonly dispose: () => void) {}
  },
  EventEmitter: class {
    readonly event = () => ({ dispose: () => undefined });
    readonly fire = () => undefined;
    readonly dispose = () => undefined;
  },
}));
/** How a file is read: `over` settles once its end has been dealt with. */
interface Reading {
  readonly over: Promise<void>;
  readonly cancel: () => void;
}
const { readings } = vi.hoisted(() => ({ readings: [] as Reading[] }));
vi.mock("../../../src/extension/progress.js", () => ({
  withEngineProgress: (_client: unknown, _task: unknown, work: (signal: AbortSignal) => Promise<unknown>) => {
    const controller = new AbortController();
    const reading = work(controller.signal);
    const later = () => new Promise<void>((resolve) => setImmediate(resolve));
    readings.push({ over: reading.then(later, later), cancel: () => controller.abort() });
    return reading;
  },
}));
const { RunFile } = await import("../../../src/extension/editors/run-file.js");

const FILE = "/runs/a/server_metrics_export.jsonl";
const OPENED: OpenedFile = { path: FILE, format: "jsonl", bytes: 1, siblings: [] };

function descriptionOf(benchmarkId: string): RunDescription {
  return {
    header: runHeader({ benchmarkId }),
    families: [],
    tiles: [],
  };
}

/** An engine behind a real structured-clone pipe; reading ends when the test says so. */
class FakeEngine {
  readonly server: ChannelServer<EngineRequests, EngineEvents>;
  readonly engine: RunEngine;
  readonly id: string;
  /** Settles when the file has been asked for; what to settle its reading with. */
  readonly asked: Promise<{
    readonly path: string;
    readonly signal: AbortSignal;
    resolve(): void;
    reject(error: Error): void;
  }>;
  disposals = 0;
  grown = false;
  private end: (reason: string | undefined) => void = () => undefined;
  private readonly close: () => void;

  constructor(number: number) {
    this.id = `engine ${number}`;
    const { port1, port2 } = new MessageChannel();
    this.close = () => port1.close();
    let ask: (value: Awaited<FakeEngine["asked"]>) => void;
    this.asked = new Promise((resolve) => (ask = resolve));
    const refuse = () => Promise.reject(new Error("not asked here"));
    const handlers: Handlers<EngineRequests> = {
      ...refusing(),
      describe: () => descriptionOf(this.id),
      open: ({ path }, signal) =>
        new Promise<OpenedFile>((resolve, reject) => {
          signal.addEventListener("abort", () =>
            reject(new UserError("open was cancelled", undefined, { code: "cancelled" })),
          );
          ask({ path, signal, resolve: () => resolve(OPENED), reject });
        }),
      series: () => [],
      adjust: () => null,
      follow: ({ on }) => {
        this.follow(on);
        return null;
      },
      probe: refuse,
      discover: refuse,
      startCapture: refuse,
      markProfilingStart: refuse,
      addMark: refuse,
      retryEndpoint: refuse,
      replaceEndpoint: refuse,
      moveJournal: refuse,
      removeEndpoint: refuse,
      stopCapture: refuse,
      export: refuse,
      recover: refuse,
      storeLabels: refuse,
      storedDays: refuse,
      findStored: refuse,
      fetchStored: refuse,
      hasGrown: () => this.grown,
      tested: () => [],
      sweepRuns: refuse,
      libraryRuns: refuse,
      libraryColumns: refuse,
      libraryHistory: refuse,
      noteRuns: refuse,
      libraryText: refuse,
      filesOfRuns: refuse,
      libraryViews: refuse,
      reportedRuns: refuse,
    };
    this.server = new ChannelServer(threadPort(port1), handlers);
    const client = new ChannelClient<EngineRequests, EngineEvents>(threadPort(port2));
    this.engine = {
      client,
      crashed: new Promise((resolve) => (this.end = resolve)),
      dispose: () => {
        this.disposals++;
        client.dispose({ code: "disposed", message: "the engine was closed" });
        this.end(undefined);
        return Promise.resolve();
      },
    };
  }

  crash(reason: string): void {
    this.engine.client.dispose({ code: "engine-ended", message: `the engine ended unexpectedly: ${reason}` });
    this.end(reason);
  }

  stop(): void {
    this.close();
  }

  private follow(on: boolean): void {
    const { header } = descriptionOf(this.id);
    this.server.emit("progress", { header: on ? { ...header, state: "following" } : header, tiles: [] });
  }
}

const engines: FakeEngine[] = [];
afterEach(() => {
  for (const engine of engines.splice(0)) engine.stop();
  readings.splice(0);
});

function open() {
  const heard = { restarts: 0, crashes: [] as unknown[], following: [] as boolean[], notices: [] as string[] };
  const notifier = {
    log: { error: (message: unknown) => heard.crashes.push(message) },
    warn: (message: string) => heard.notices.push(message),
  } as unknown as Notifier;
  const file = new RunFile(
    { path: FILE },
    {
      spawnEngine: () => {
        const engine = new FakeEngine(engines.length + 1);
        engines.push(engine);
        return engine.engine;
      },
      notifier,
      onRead: () => undefined,
      onRestart: () => heard.restarts++,
      onFollowing: (following) => heard.following.push(following),
    },
  );
  return { file, heard };
}

const engine = (number: number): FakeEngine => engines[number - 1]!;
const signal = new AbortController().signal;
const unheard = (): void => undefined;
const idOf = async (source: RunSource): Promise<string> =>
  (await source.call("describe", {}, signal, unheard)).header.benchmarkId;

describe("a file opened as a run", () => {
  it("is read by an engine of its own, for which the views wait", async () => {
    const { file } = open();
    const waiting = [idOf(file.source()), idOf(file.source())];
    const asked = await engine(1).asked;
    expect(asked.path).toBe(FILE);
    expect(() => file.run).toThrow("server_metrics_export.jsonl is still being read");
    asked.resolve();
    expect(await Promise.all(waiting)).toEqual(["engine 1", "engine 1"]);
    await readings[0]!.over;
    expect(await file.source().call("series", { family: "f" }, signal, unheard)).toEqual([]);
    expect(engines).toHaveLength(1);
  });

  it("is shown before it has been read to its end, once its engine reports", async () => {
    const { file } = open();
    const source = file.source();
    const heard: string[] = [];
    source.on("progress", ({ header }) => heard.push(header.benchmarkId));
    const first = idOf(source);
    await engine(1).asked;
    engine(1).server.emit("progress", { header: descriptionOf("early").header, tiles: [] });
    expect(await first).toBe("engine 1");
    expect(heard).toEqual(["early"]);
    expect(() => file.run).toThrow("still being read");
  });

  it("is followed as it grows until it is not any more, or is read anew", async () => {
    const { file, heard } = open();
    const grown = file.hasGrown();
    const asked = await engine(1).asked;
    engine(1).server.emit("progress", { header: descriptionOf("early").header, tiles: [] });
    await idOf(file.source());
    // What has come while it is read is only known when it has been.
    engine(1).grown = true;
    asked.resolve();
    expect(await grown).toBe(true);
    await file.follow(true);
    expect([file.isFollowed, heard.following]).toEqual([true, [true]]);
    await file.follow(false);
    expect([file.isFollowed, heard.following]).toEqual([false, [true, false]]);

    await file.follow(true);
    engine(1).server.emit("notice", { severity: "warning", reason: "It is gone." });
    await vi.waitFor(() => expect(heard.notices).toEqual(["It is gone."]));
    file.restart();
    expect([file.isFollowed, heard.following]).toEqual([false, [true, false, true, false]]);
  });

  it("that cannot be read says why and what to do, and is read again by Retry alone", async () => {
    const { file, heard } = open();
    const source = file.source();
    source.on("progress", unheard);
    const first = idOf(source);
    (await engine(1).asked).reject(new UserError(`${FILE} is empty`, "Take another.", { code: "unreadable" }));
    await expect(first).rejects.toMatchObject({
      code: "unreadable",
      message: `${FILE} is empty`,
      remedy: "Take another.",
    });
    expect(engine(1).disposals).toBe(1);

    // A page that is shown again gets the error; it does not count as a Retry.
    source.on("progress", unheard);
    await expect(idOf(source)).rejects.toMatchObject({ code: "unreadable" });
    expect(engines).toHaveLength(1);
    expect(() => file.run).toThrow("is empty");

    const again = idOf(source);
    expect(engines).toHaveLength(2);
    expect(heard.restarts).toBe(1);
    (await engine(2).asked).resolve();
    expect(await again).toBe("engine 2");
  });

  it("is cancelled at its reader, whose engine ends", async () => {
    const { file } = open();
    const first = idOf(file.source());
    const asked = await engine(1).asked;
    const aborted = new Promise((resolve) => asked.signal.addEventListener("abort", resolve));
    const refused = expect(first).rejects.toMatchObject({
      code: "cancelled",
      message: "reading server_metrics_export.jsonl was cancelled",
    });
    readings[0]!.cancel();
    await aborted;
    await refused;
    await readings[0]!.over;
    expect(engine(1).disposals).toBe(1);
  });

  it("is read anew by a new engine, of which views that start over hear; the old one goes nowhere", async () => {
    const { file, heard } = open();
    const before = file.source();
    const reports: string[] = [];
    before.on("progress", ({ header }) => reports.push(header.benchmarkId));
    const waiting = idOf(before);
    await engine(1).asked;
    file.restart();
    expect(heard.restarts).toBe(1);
    expect(engine(1).disposals).toBe(1);
    await expect(waiting).rejects.toMatchObject({ code: "disposed" });
    const source = file.source();
    source.on("progress", ({ header }) => reports.push(header.benchmarkId));
    const again = idOf(source);
    (await engine(2).asked).resolve();
    expect(await again).toBe("engine 2");
    engine(1).server.emit("progress", { header: descriptionOf("old").header, tiles: [] });
    engine(2).server.emit("progress", { header: descriptionOf("new").header, tiles: [] });
    await source.call("series", { family: "f" }, signal, unheard);
    expect(reports).toEqual(["new"]);
  });

  it.each(["while it is read", "afterwards"])(
    "survives its engine, ended %s, with the reason in its views",
    async (when) => {
      const { file, heard } = open();
      const source = file.source();
      const first = idOf(source);
      const asked = await engine(1).asked;
      if (when === "afterwards") {
        asked.resolve();
        await first;
        await readings[0]!.over;
      }
      engine(1).crash("out of memory");
      const reason = /[Tt]he engine for server_metrics_export\.jsonl ended unexpectedly: out of memory/;
      if (when === "while it is read") await expect(first).rejects.toThrow(reason);
      else await new Promise((resolve) => setImmediate(resolve));
      await expect(idOf(file.source())).rejects.toMatchObject({ code: "engine-ended" });
      expect(heard.crashes).toEqual([expect.stringMatching(reason)]);
      expect(heard.restarts).toBe(when === "afterwards" ? 1 : 0);
    },
  );

  it("lets its engine go when it is closed, once an export of it is through", async () => {
    const { file } = open();
    (await engine(1).asked).resolve();
    await readings[0]!.over;
    const { run } = file;
    const exporting = run.hold();
    file.dispose();
    expect(engine(1).disposals).toBe(0);
    expect((await run.engine.client.call("describe", {})).header.benchmarkId).toBe("engine 1");
    exporting.dispose();
    expect(engine(1).disposals).toBe(1);
    await expect(idOf(file.source())).rejects.toMatchObject({ code: "disposed" });
  });

  it("that is closed while it is read leaves nothing waiting", async () => {
    const { file } = open();
    const first = idOf(file.source());
    await engine(1).asked;
    file.dispose();
    await expect(first).rejects.toMatchObject({ code: "disposed" });
    await readings[0]!.over;
    expect(engine(1).disposals).toBe(1);
  });
});
