import { spawn } from "node:child_process";
import { constants } from "node:os";
import { isatty } from "node:tty";
import { UserError } from "../../core/text/errors.js";
import { notDone } from "../exit.js";

const FORWARDED_SIGNALS = ["SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"] as const;

/**
 * Runs a command with our own terminal and passes signals on to it. Settles with its exit code, 128 + n when signal n
 * ended it.
 * @throws UserError when it cannot be started
 */
export function runChild(command: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: "inherit" });
    const passOn = (signal: NodeJS.Signals) => child.kill(signal);
    // A Ctrl-C at the terminal reaches the whole process group: passing it on would interrupt the command twice.
    const interrupt = () => atTerminal() || child.kill("SIGINT");
    for (const signal of FORWARDED_SIGNALS) process.on(signal, passOn);
    process.on("SIGINT", interrupt);
    const release = () => {
      for (const signal of FORWARDED_SIGNALS) process.off(signal, passOn);
      process.off("SIGINT", interrupt);
    };
    child.once("error", (error: NodeJS.ErrnoException) => {
      release();
      reject(new UserError(`the command "${command}" could not be started: ${whyNot(error)}.`));
    });
    child.once("exit", (code, signal) => {
      release();
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}

function whyNot({ code, message }: NodeJS.ErrnoException): string {
  const shell = process.platform === "win32" ? "cmd /c …, as do .cmd and .bat files" : "sh -c '…'";
  // Windows answers EINVAL for a script.
  if (code === "ENOENT" || code === "EINVAL")
    return `there is no such program. A line for a shell needs one, as in -- ${shell}`;
  if (code === "EACCES") return "this user may not execute it. Allow it with chmod +x";
  return message;
}

/** Input or output may be redirected; one of the three tells. */
function atTerminal(): boolean {
  return [0, 1, 2].some((descriptor) => isatty(descriptor));
}

/** The signals by which a user or a service manager ends a capture. */
export const ENDING_SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Ends this process as the signal does where nobody listens, whatever threads are stuck in. */
export function endBy(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** Settles at the first Ctrl-C or SIGTERM, after the duration, or when `over` is aborted. */
export function interruptOrTimeout(
  seconds: number | undefined,
  over?: AbortSignal,
): Promise<"interrupted" | "elapsed"> {
  return new Promise((resolve) => {
    const end = (reason: "interrupted" | "elapsed") => {
      clearTimeout(timer);
      for (const signal of ENDING_SIGNALS) process.off(signal, interrupted);
      resolve(reason);
    };
    const interrupted = () => end("interrupted");
    const timer = seconds === undefined ? undefined : setTimeout(() => end("elapsed"), seconds * 1000);
    over?.addEventListener("abort", () => end("elapsed"), { once: true });
    for (const signal of ENDING_SIGNALS) process.once(signal, interrupted);
  });
}

/**
 * Work that a first Ctrl-C or SIGTERM ends by aborting its signal, so that it leaves nothing half done; a second one
 * ends the process.
 * @throws UserError when interrupted; what the work throws
 */
export async function interruptible<T>(what: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const interrupted = (signal: NodeJS.Signals) => {
    if (controller.signal.aborted) endBy(signal);
    else controller.abort(notDone(what));
  };
  for (const signal of ENDING_SIGNALS) process.on(signal, interrupted);
  return work(controller.signal).finally(() => {
    for (const signal of ENDING_SIGNALS) process.off(signal, interrupted);
  });
}

/** What a command says that writes all of its files or none. */
export const NOTHING_WRITTEN = "interrupted: nothing was written.";
