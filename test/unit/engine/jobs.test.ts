import { expect, it } from "vitest";
import { Jobs } from "../../../src/engine/jobs.js";

interface Job {
  readonly name: string;
  readonly urgency: number;
}

/** Jobs that end when the test says so. */
function recorded() {
  const log: string[] = [];
  const ends = new Map<string, () => void>();
  const begun = new Map<string, () => void>();
  const jobs = new Jobs<Job>({
    urgency: ({ urgency }) => urgency,
    same: (a, b) => a.name === b.name,
    outdates: (added, running) => added.urgency < running.urgency,
    run: async ({ name }, signal) => {
      log.push(name);
      const ended = new Promise<void>((resolve) => ends.set(name, resolve));
      begun.get(name)?.();
      await ended;
      log.push(`${name} ${signal.aborted ? "outdated" : "done"}`);
    },
  });
  return {
    jobs,
    log,
    end: (name: string) => ends.get(name)?.(),
    running: (name: string) =>
      log.includes(name) ? Promise.resolve() : new Promise<void>((resolve) => begun.set(name, resolve)),
  };
}

it("the job queue does one job at a time, the most urgent first, each once however often it was asked for", async () => {
  const { jobs, log, end, running } = recorded();
  for (const [name, urgency] of [
    ["compare", 3],
    ["read a", 1],
    ["read b", 1],
    ["compare", 3],
  ] as const)
    jobs.add({ name, urgency });
  await running("read a");
  expect(log).toEqual(["read a"]);
  end("read a");
  await running("read b");
  end("read b");
  await running("compare");
  end("compare");
  jobs.add({ name: "last", urgency: 9 });
  await running("last");
  expect(log).toEqual(["read a", "read a done", "read b", "read b done", "compare", "compare done", "last"]);
});

it("the job queue tells a running job that it has been outdated, and does what outdated it next", async () => {
  const { jobs, log, end, running } = recorded();
  jobs.add({ name: "compare", urgency: 3 });
  await running("compare");
  jobs.add({ name: "read", urgency: 1 });
  expect(log).toEqual(["compare"]);
  end("compare");
  await running("read");
  expect(log).toEqual(["compare", "compare outdated", "read"]);
});

it("the job queue goes on with the others where a job fails against its word", async () => {
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => void failures.push(error);
  const listeners = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", onFailure);
  try {
    await new Promise<void>((resolve) => {
      const jobs = new Jobs<string>({
        urgency: () => 0,
        same: (a, b) => a === b,
        outdates: () => false,
        run: (job) => {
          if (job === "fails") return Promise.reject(new Error("broken"));
          resolve();
          return Promise.resolve();
        },
      });
      jobs.add("fails");
      jobs.add("works");
    });
    expect(failures).toEqual([new Error("broken")]);
  } finally {
    process.off("unhandledRejection", onFailure);
    for (const listener of listeners) process.on("unhandledRejection", listener);
  }
});
