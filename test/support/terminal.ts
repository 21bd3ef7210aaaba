import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { shellWord } from "../../src/core/text/shell-word.js";
import { CLI } from "./cli.js";

export interface InTerminal {
  /** The terminal: what is typed into it, and what it is told to show. */
  readonly terminal: ChildProcessByStdio<Writable, Readable, null>;
  readonly closed: Promise<number | null>;
}

/**
 * Starts the bundled command line in a terminal of its own, which remembers nothing but in the cache given.
 * @param before what the terminal's shell reads first: "exec", or "stty rows 30 cols 90;"
 */
export function startInTerminal(before: string, args: readonly string[], cache: string, cwd?: string): InTerminal {
  const line = [before, ...[process.execPath, CLI, ...args].map(shellWord)].join(" ");
  const terminal = spawn("script", ["--quiet", "--return", "--command", line, "/dev/null"], {
    cwd,
    stdio: ["pipe", "pipe", "inherit"],
    // Some terminals have a `CI`: it changes nothing.
    env: { ...process.env, CI: "true", SHELL: "/bin/sh", XDG_CACHE_HOME: cache },
  });
  return { terminal, closed: new Promise((resolve) => terminal.once("close", resolve)) };
}
