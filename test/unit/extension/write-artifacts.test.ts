import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { UserError } from "../../../src/core/text/errors.js";
import { ENGINE_ENDED } from "../../../src/engine/client.js";
import { ChannelClient, ChannelServer, type EngineEvents, type EngineRequests } from "../../../src/protocol/index.js";
import { pipe } from "../../support/pipe.js";

const { vscode, shown, commandsRun } = vi.hoisted(() => {
  const commandsRun: string[] = [];
  const shown: { readonly message: string; readonly buttons: readonly string[] }[] = [];
  const show = (message: string, ...buttons: string[]) => {
    shown.push({ message, buttons });
    return Promise.resolve(vscode.press(buttons));
  };
  const token = { onCancellationRequested: () => ({ dispose: () => undefined }) };
  const vscode = {
    press: (() => undefined) as (buttons: readonly string[]) => string | undefined,
    window: {
      showWarningMessage: show,
      showErrorMessage: show,
      showInformationMessage: show,
      withProgress: (_: unknown, work: (progress: unknown, token: unknown) => unknown) =>
        work({ report: () => undefined }, token),
    },
    workspace: { getConfiguration: () => ({ get: (_: string, fallback: unknown) => fallback }) },
    commands: { executeCommand: (id: string) => Promise.resolve(commandsRun.push(id)) },
    ProgressLocation: {},
    MarkdownString: class {},
    TreeItem: class {},
    Disposable: class {
      constructor(readonly dispose: () => void) {}
    },
    EventEmitter: class {
      event = () => undefined;
      fire = () => undefined;
      dispose = () => undefined;
    },
  };
  return { vscode, shown, commandsRun };
});
vi.mock("vscode", () => vscode);
const { EngineRun } = await import("../../../src/extension/engine.js");
const { writeArtifacts } = await import("../../../src/extension/capture/write-artifacts.js");
const { Notifier } = await import("../../../src/extension/notify.js");

let folder: string;
beforeEach(async () => {
  shown.splice(0);
  commandsRun.splice(0);
  folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-write-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A stopped capture whose engine answers each export in turn, and what the user presses in each message. */
function stopped(answers: readonly (() => void)[], press: readonly (string | undefined)[]) {
  const [view, own] = pipe();
  let asked = 0;
  const server = new ChannelServer<Pick<EngineRequests, "export">, EngineEvents>(own, {
    export: ({ directory }) => {
      answers[asked++]?.();
      const file = { format: "json", path: path.join(directory, "a.json"), bytes: 2 } as const;
      return Promise.resolve({ files: [file], losses: [] });
    },
  });
  const client = new ChannelClient<EngineRequests, EngineEvents>(view);
  const engine = { client, crashed: new Promise<undefined>(() => undefined), dispose: () => Promise.resolve() };
  const run = new EngineRun(engine);
  run.journalPath = path.join(folder, "journal.jsonl.gz");
  let messages = 0;
  vscode.press = () => press[messages++];
  const quiet = () => undefined;
  const log = { trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet, show: quiet, dispose: quiet };
  const parts = {
    folders: { base: () => folder, choose: () => Promise.resolve(undefined), ensure: () => Promise.resolve(folder) },
    notifier: new Notifier(log),
    onWritten: quiet,
  };
  return {
    run,
    server,
    client,
    exports: () => asked,
    // Formats that hold every sample settle the journal: it would be deleted.
    write: () => writeArtifacts(parts, run, { directory: folder, formats: ["csv"] }),
  };
}

describe("writing artifacts", () => {
  it("offers no Retry once the engine is gone, says why it ended and where the run still is", async () => {
    const reason = "the engine ended unexpectedly: it needed more than 100 MiB of memory";
    const { client, exports, write } = stopped(
      [() => client.dispose({ code: ENGINE_ENDED, message: reason })],
      ["Recover"],
    );
    await write();
    await expect.poll(() => commandsRun).toEqual(["serverMetrics.recoverCaptures"]);
    expect(shown).toEqual([
      {
        message:
          "The engine ended unexpectedly: it needed more than 100 MiB of memory. Its journal is kept: recover it from there.",
        buttons: ["Recover", "Show Log"],
      },
    ]);
    expect(exports()).toBe(1);
  });

  it("says that it was cancelled only where it was, and asks the engine once more for each Retry", async () => {
    const { exports, write } = stopped(
      [
        () => {
          throw new UserError("export was cancelled", undefined, { code: "cancelled" });
        },
        () => {
          throw new UserError("the disk is full", undefined, { code: "internal" });
        },
      ],
      ["Retry", "Retry"],
    );
    await write();
    await expect.poll(() => shown.length).toBe(3);
    expect(exports()).toBe(3);
    const [cancelled, failed, written] = shown;
    expect(cancelled?.message).toMatch(/^Writing the artifacts was cancelled\./);
    expect(failed?.message).toMatch(/^The disk is full\. The capture is kept in memory/);
    for (const one of [cancelled, failed])
      expect(one?.buttons).toEqual(["Retry", "Choose Another Folder…", "Show Log"]);
    expect(written?.message).toMatch(/^Server metrics written as JSON to /);
  });

  it("keeps the journal while nothing that holds every sample has been written", async () => {
    const { run, write } = stopped([], []);
    const journal = run.journalPath ?? "";
    await writeFile(journal, "");
    await write();
    expect(shown[0]?.message).toMatch(/^Server metrics written/);
    expect(run.journalPath).toBe(journal);
  });
});
