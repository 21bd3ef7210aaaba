import { MessageChannel } from "node:worker_threads";
import { afterEach, expect, it, vi } from "vitest";
import type { SweepRuns } from "../../../src/core/sweep/index.js";
import { threadPort } from "../../../src/engine/port.js";
import { type RunEngine, FolderEngine } from "../../../src/extension/engine.js";
import { ChannelClient, ChannelServer, type EngineEvents, type EngineRequests } from "../../../src/protocol/index.js";

vi.mock("vscode", () => ({}));

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

interface SweepRequests {
  sweepRuns: EngineRequests["sweepRuns"];
}

/** An engine that reads files by their names, and ends at one that is called "hostile…". */
function engine(): RunEngine {
  const { port1, port2 } = new MessageChannel();
  closing.push(() => port1.close());
  const server = new ChannelServer<SweepRequests, EngineEvents>(threadPort(port1), {
    sweepRuns: ({ leftOut = [] }) => {
      for (const file of ["a", "hostile b", "c", "hostile d"]) {
        if (leftOut.some(({ path }) => path === file)) continue;
        server.emit("work", { request: "sweepRuns", message: file });
        if (file.startsWith("hostile")) return new Promise<SweepRuns>(() => undefined);
      }
      return Promise.resolve({ runs: [], skipped: leftOut });
    },
  });
  const client = new ChannelClient<EngineRequests, EngineEvents>(threadPort(port2));
  return {
    client,
    crashed: new Promise((resolve) => {
      client.on("work", ({ message }) => {
        if (!message.startsWith("hostile")) return;
        // What is listened to later hears it, too, before the engine ends.
        setImmediate(() => {
          client.dispose({ code: "engine-ended", message: "the engine ended unexpectedly" });
          resolve("it needed more than 900 MiB of memory");
        });
      });
    }),
    dispose: () => Promise.resolve(),
  };
}

it("a run that ends the engine is left out of its sweep by its name, and the others are read", async () => {
  let spawned = 0;
  const reader = new FolderEngine("/runs", () => (spawned++, engine()));
  closing.push(() => reader.dispose());
  const read = () => reader.ask((client, runs) => client.call("sweepRuns", { ...runs, choice: {} }));
  const reason = "it needed more than 900 MiB of memory";
  const skipped = [
    { path: "hostile b", reason },
    { path: "hostile d", reason },
  ];
  expect(await read()).toMatchObject({ skipped });
  expect(spawned).toBe(3);
  // It stays out when it is read again.
  expect(await read()).toMatchObject({ skipped });
  expect(spawned).toBe(3);
});
