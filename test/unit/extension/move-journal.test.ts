import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { UserError } from "../../../src/core/text/errors.js";
import {
  ChannelClient,
  ChannelServer,
  type EngineEvents,
  type EngineRequests,
  type Handlers,
} from "../../../src/protocol/index.js";
import { pipe } from "../../support/pipe.js";

type Press = (message: string, buttons: readonly string[]) => string | undefined;

const { vscode, shown } = vi.hoisted(() => {
  const shown: { readonly message: string; readonly buttons: readonly string[] }[] = [];
  const show = (message: string, ...buttons: string[]) => {
    shown.push({ message, buttons });
    return Promise.resolve(vscode.press(message, buttons));
  };
  class EventEmitter {
    private readonly listeners: ((value: unknown) => void)[] = [];
    event = (listener: (value: unknown) => void) => void this.listeners.push(listener);
    fire = (value: unknown) => this.listeners.forEach((listener) => listener(value));
    dispose = () => undefined;
  }
  const vscode = {
    press: (() => undefined) as Press,
    window: { showWarningMessage: show, showErrorMessage: show, showInformationMessage: show },
    MarkdownString: class {},
    TreeItem: class {},
    ProgressLocation: {},
    Disposable: class {},
    EventEmitter,
  };
  return { vscode, shown };
});
vi.mock("vscode", () => vscode);
const { Captures } = await import("../../../src/extension/capture/captures.js");
const { EngineRun } = await import("../../../src/extension/engine.js");
const { Journals } = await import("../../../src/extension/capture/journals.js");
const { moveJournal } = await import("../../../src/extension/capture/journals.js");
const { watchRun } = await import("../../../src/extension/capture/running.js");
const { Notifier } = await import("../../../src/extension/notify.js");

const NOTICE = {
  severity: "warning",
  reason: "The journal is waiting: the disk is full.",
  offer: "moveJournal",
} as const;

let folder: string;
beforeEach(async () => {
  shown.splice(0);
  folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-move-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A capture whose engine answers `moveJournal` with `answer`, watched as the extension does. */
function capturing(answer: (path: string) => void, press: Press, choices: (string | undefined)[]) {
  const [view, own] = pipe();
  const handlers: Pick<Handlers<EngineRequests>, "moveJournal"> = {
    moveJournal: (params) => {
      answer(params.path);
      return null;
    },
  };
  const engine = new ChannelServer<Pick<EngineRequests, "moveJournal">, EngineEvents>(own, handlers);
  const client = new ChannelClient<EngineRequests, EngineEvents>(view);
  const run = new EngineRun({
    client,
    crashed: new Promise(() => undefined),
    dispose: () => Promise.resolve(),
  });
  run.journalPath = path.join(folder, "first.jsonl.gz");
  vscode.press = press;
  const quiet = () => undefined;
  const log = { trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet, show: quiet, dispose: quiet };
  const notifier = new Notifier(log);
  const memory = { get: () => undefined, update: () => Promise.resolve() };
  const moved = vi.fn();
  const parts = {
    folders: { choose: () => Promise.resolve(choices.shift()) },
    journals: new Journals(folder, memory),
    notifier,
    onMoved: moved,
  };
  watchRun(run, new Captures(), notifier, {
    showRun: quiet,
    stopCapture: quiet,
    moveJournal: () => moveJournal(parts, run),
    recover: quiet,
  });
  return { run, engine, moved };
}

it("a full disk under the journal offers another folder, and the run goes on with the journal there", async () => {
  const asked: string[] = [];
  const { run, engine, moved } = capturing(
    (file) => asked.push(file),
    (_, buttons) => buttons[0],
    [folder],
  );
  engine.emit("notice", NOTICE);
  await vi.waitFor(() => expect(moved).toHaveBeenCalledOnce());
  expect(shown[0]?.buttons[0]).toBe("Choose Another Folder…");
  expect(asked).toEqual([run.journalPath]);
  expect(path.dirname(asked[0]!)).toBe(folder);
});

it("a folder that refuses leaves the journal where it is and is asked for again", async () => {
  const asked: string[] = [];
  const { run, engine, moved } = capturing(
    (file) => {
      asked.push(file);
      if (asked.length === 1) throw new UserError("it is read-only", undefined, { code: "file" });
    },
    (message, buttons) => (message.includes("read-only") && shown.length > 2 ? undefined : buttons[0]),
    [path.join(folder, "a"), path.join(folder, "b")],
  );
  const before = run.journalPath;
  engine.emit("notice", NOTICE);
  await vi.waitFor(() => expect(shown).toHaveLength(2));
  expect(shown[1]).toMatchObject({ message: expect.stringContaining("read-only") as string });
  expect(shown[1]?.buttons[0]).toBe("Choose Another Folder…");
  await vi.waitFor(() => expect(moved).toHaveBeenCalledOnce());
  expect(before).not.toBe(run.journalPath);
  expect(asked.map((file) => path.basename(path.dirname(file)))).toEqual(["a", "b"]);
});

it("other warnings have no such button, and declining changes nothing", async () => {
  const { run, engine, moved } = capturing(
    () => expect.fail("nothing was chosen"),
    (_, buttons) => buttons[0],
    [undefined],
  );
  const before = run.journalPath;
  engine.emit("notice", { severity: "warning", reason: "The journal has reached its limit." });
  engine.emit("notice", NOTICE);
  await vi.waitFor(() => expect(shown).toHaveLength(2));
  expect(shown[0]?.buttons).not.toContain("Choose Another Folder…");
  expect([run.journalPath, moved.mock.calls.length]).toEqual([before, 0]);
});
