import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ChannelClient, ChannelServer, type EngineEvents, type EngineRequests } from "../../../src/protocol/index.js";
import { pipe } from "../../support/pipe.js";

const { vscode, shown } = vi.hoisted(() => {
  const shown: unknown[] = [];
  const vscode = {
    cancel: () => undefined as void,
    ProgressLocation: {},
    MarkdownString: class {},
    TreeItem: class {},
    window: {
      withProgress: (options: { readonly title: string }, work: (progress: unknown, token: unknown) => unknown) => {
        shown.push(options.title);
        const token = {
          onCancellationRequested: (listener: () => void) => {
            vscode.cancel = listener;
            return { dispose: () => undefined };
          },
        };
        return work({ report: (step: unknown) => shown.push(step) }, token);
      },
    },
  };
  return { vscode, shown };
});
vi.mock("vscode", () => vscode);
const { withEngineProgress } = await import("../../../src/extension/progress.js");

const [view, own] = pipe();
const server = new ChannelServer<Pick<EngineRequests, "export">, EngineEvents>(own, {
  export: () => Promise.resolve({ files: [], losses: [] }),
});
const client = new ChannelClient<EngineRequests, EngineEvents>(view);
const task = { title: "Writing", request: "export" } as const;

beforeEach(() => {
  shown.splice(0);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => vi.useRealTimers());

describe("the message of an engine's work", () => {
  it("is left out where the work is done in a moment, so that what became of it is among the few shown at once", async () => {
    expect(await withEngineProgress(client, task, () => Promise.resolve(1))).toBe(1);
    const failing = withEngineProgress(client, task, () => Promise.reject(new Error("disk full")));
    await expect(failing).rejects.toThrow("disk full");
    expect(vi.getTimerCount()).toBe(0);
    expect(shown).toEqual([]);
  });

  it("comes with how far the work is, and its Cancel ends it", async () => {
    let signal: AbortSignal | undefined;
    const ended = withEngineProgress(
      client,
      task,
      (given) =>
        new Promise<number>((_, reject) => {
          signal = given;
          given.addEventListener("abort", () => reject(new Error("given up")));
        }),
    );
    const seen = new Promise((resolve) => client.on("work", resolve));
    server.emit("work", { request: "export", message: "JSON", fraction: 0.25 });
    await seen;
    expect(shown).toEqual([]);
    vi.runOnlyPendingTimers();
    const second = new Promise((resolve) => client.on("work", resolve));
    server.emit("work", { request: "export", message: "CSV", fraction: 0.75 });
    await second;
    expect(shown).toEqual(["Writing", { message: "JSON", increment: 25 }, { message: "CSV", increment: 50 }]);
    expect(signal?.aborted).toBe(false);
    vscode.cancel();
    await expect(ended).rejects.toThrow("given up");
  });
});
