import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

export const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCli {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** What was written to standard error so far. */
  stderrSoFar(): string;
}

/** Starts the bundled command line in a process of its own, which remembers no endpoint of an earlier one. */
export function startCli(
  args: readonly string[],
  {
    env = {},
    cwd,
    input,
    cli = CLI,
  }: { env?: NodeJS.ProcessEnv; cwd?: string; input?: string | Uint8Array; cli?: string } = {},
): RunningCli {
  if (!existsSync(cli)) throw new Error("dist/cli.js is missing: run `npm run build` first");
  const child = spawn(process.execPath, [cli, ...args], {
    cwd,
    env: { ...process.env, XDG_CACHE_HOME: path.join(tmpdir(), "server-metrics-tests-cache", randomUUID()), ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  child.stdin.end(input);
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  const finished = Promise.all([text(child.stdout), exited]).then(([stdout, end]) => ({ ...end, stdout, stderr }));
  return { child, finished, stderrSoFar: () => stderr };
}

export function runCli(args: readonly string[], options?: Parameters<typeof startCli>[1]): Promise<Finished> {
  return startCli(args, options).finished;
}

/** Settles when `condition` holds; rejects with `what` after the limit. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  limitMs = 100_000,
): Promise<void> {
  const end = Date.now() + limitMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`gave up waiting for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
