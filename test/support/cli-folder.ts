import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import type { Finished } from "./cli.js";
import type { Handler } from "./faulty-server.js";
import { closedAfterEach } from "./servers.js";

/** A folder for each test, and servers that end with it. */
export function cliFolder() {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), "server-metrics-tools-"));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));
  const { server } = closedAfterEach();
  return { server, folder: () => dir, file: (name: string) => path.join(dir, name) };
}

export const answering =
  (body: string, contentType = "text/plain; version=0.0.4"): Handler =>
  (_, response) =>
    void response.setHeader("content-type", contentType).end(body);

/**
 * The environment of a command that is its own watched process: nobody ends that one second after a signal, and on a
 * busy machine it may need longer.
 */
export const UNWATCHED = { SERVER_METRICS_WATCHED_MEMORY: String(4 * 1024 ** 3) };

/** One line on standard error that says what and why; nothing on standard output, no stack trace. */
export function expectRefused({ code, stdout, stderr }: Finished, exitCode: number, ...parts: RegExp[]): void {
  for (const part of parts) expect(stderr).toMatch(part);
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  expect({ code, stdout }).toEqual({ code: exitCode, stdout: "" });
}
