import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import {
  ChannelClient,
  ChannelServer,
  type EndpointStatus,
  type EngineEvents,
  type EngineRequests,
} from "../../../src/protocol/index.js";
import { pipe } from "../../support/pipe.js";
import { runHeader } from "../../support/run-header.js";

const { vscode, shown } = vi.hoisted(() => {
  const shown: { readonly message: string; readonly press: (button: string | undefined) => void }[] = [];
  const show = (message: string) =>
    new Promise<string | undefined>((resolve) => void shown.push({ message, press: resolve }));
  const vscode = {
    window: { showInformationMessage: show, showErrorMessage: show, showWarningMessage: show },
    workspace: { getConfiguration: () => ({ get: (_: string, fallback: unknown) => fallback }) },
    commands: { executeCommand: () => Promise.resolve() },
    ProgressLocation: {},
    MarkdownString: class {},
    TreeItem: class {},
    Disposable: class {
      constructor(readonly dispose: () => void) {}
      static from = () => ({ dispose: () => undefined });
    },
    EventEmitter: class {
      private readonly listeners: (() => void)[] = [];
      event = (listener: () => void) => {
        this.listeners.push(listener);
        return { dispose: () => undefined };
      };
      fire = () => this.listeners.forEach((listener) => listener());
      dispose = () => undefined;
    },
  };
  return { vscode, shown };
});
vi.mock("vscode", () => vscode);
const { Captures } = await import("../../../src/extension/capture/captures.js");
const { EngineRun } = await import("../../../src/extension/engine.js");
const { stopCapture } = await import("../../../src/extension/capture/write-artifacts.js");
const { watchRun } = await import("../../../src/extension/capture/running.js");
const { Notifier } = await import("../../../src/extension/notify.js");

const LEFT_OUT: EndpointStatus = {
  url: "http://web:80/metrics",
  displayName: "web:80",
  state: "disabled",
  scrapes: 0,
  failures: 1,
  missedTicks: 0,
  servers: [],
  families: 0,
  series: 0,
  problems: [
    { severity: "warning", reason: "http://web:80/metrics answers with HTML. It is left out of this capture." },
  ],
};
const NOTHING = "No endpoint answered with metrics during the capture: there is nothing to write.";

let folder: string;
beforeEach(async () => {
  shown.splice(0);
  folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-nothing-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A capture of these endpoints, of which nothing has come. */
async function capturing(endpoints: () => readonly EndpointStatus[]) {
  const [view, own] = pipe();
  const header = () => runHeader({ state: "capturing", endpoints: endpoints() });
  const server = new ChannelServer<Pick<EngineRequests, "describe" | "stopCapture">, EngineEvents>(own, {
    describe: () => ({ header: header(), families: [], tiles: [] }),
    stopCapture: () => ({ severity: "warning", reason: NOTHING }),
  });
  const client = new ChannelClient<EngineRequests, EngineEvents>(view);
  const engine = { client, crashed: new Promise<undefined>(() => undefined), dispose: () => Promise.resolve() };
  const run = new EngineRun(engine);
  run.journalPath = path.join(folder, "journal.jsonl.gz");
  await writeFile(run.journalPath, "");
  const quiet = () => undefined;
  const log = { trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet, show: quiet, dispose: quiet };
  const parts = {
    folders: { base: () => folder, choose: () => Promise.resolve(undefined), ensure: () => Promise.resolve(folder) },
    notifier: new Notifier(log),
    onWritten: quiet,
  };
  const captures = new Captures();
  captures.setState({ kind: "capturing", run });
  const stop = () => stopCapture(captures, parts);
  watchRun(run, captures, parts.notifier, { showRun: quiet, stopCapture: stop, moveJournal: quiet, recover: quiet });
  await run.refresh();
  return { run, captures, stop, push: () => server.emit("progress", { header: header(), tiles: [] }) };
}

it("a capture whose endpoints are all left out offers once to stop, and again once one was tried again", async () => {
  let endpoints = [LEFT_OUT, { ...LEFT_OUT, state: "connecting" as const }];
  const { run, push } = await capturing(() => endpoints);
  expect(shown).toEqual([]);
  const states: (readonly string[] | undefined)[] = [];
  run.onDidChange(() => states.push(run.header?.endpoints.map(({ state }) => state)));
  const pushed = async () => {
    const before = states.length;
    push();
    await vi.waitFor(() => expect(states.length).toBeGreaterThan(before));
  };
  endpoints = [LEFT_OUT];
  await pushed();
  await pushed();
  expect(shown.map(({ message }) => message)).toEqual([
    "Every endpoint has been left out: this capture records nothing more.",
  ]);
  endpoints = [{ ...LEFT_OUT, state: "connecting" }];
  await pushed();
  endpoints = [LEFT_OUT];
  await pushed();
  expect(shown).toHaveLength(2);
});

it("a capture in which nothing answered writes nothing, says so and leaves no journal", async () => {
  const { run, captures } = await capturing(() => [LEFT_OUT]);
  shown[0]?.press("Stop Capture");
  await vi.waitFor(() => expect(shown).toHaveLength(2));
  expect(shown[1]?.message).toBe(NOTHING);
  expect(captures.state.kind).toBe("idle");
  expect(run.journalPath).toBeUndefined();
  expect(await readdir(folder)).toEqual([]);
});
