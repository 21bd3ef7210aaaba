import { spawn, type ChildProcess } from "node:child_process";
import { constants } from "node:os";
import { isFields } from "../../core/text/index.js";
import { ENDING_SIGNALS, endBy, runChild } from "./child-process.js";
import { ChildExit } from "../input/memory.js";
import { note } from "../print/terminal.js";
import { notDone } from "../exit.js";

/*
 * Linux shares processor time by session (autogroup). Beside the twenty processes of a load generator, a capture in
 * their session gets a twentieth, and misses scrapes. So with -- COMMAND the capture runs in a process with a session
 * of its own: the scraper. The process that was started keeps the terminal, runs the command and passes signals on. The
 * two are joined by a channel, which closes when either ends, however it ends.
 */

/** By which the scraper knows what it is. */
const SCRAPER = "SERVER_METRICS_SCRAPER";
/** Windows has none of this kind; its console sends a Ctrl-C to both processes. */
const HAS_SESSIONS = process.platform !== "win32";

/** Told by the scraper once it captures. */
interface Begun {
  readonly journal: string;
}

/**
 * Starts this command line again as the scraper, and runs the command as soon as that captures.
 * @returns the exit code of the scraper, which knows the command's
 * @throws UserError when the command cannot be started, or a signal comes before it is
 */
export async function captureBeside([program = "", ...args]: readonly string[]): Promise<number> {
  let commandRuns = false;
  let isInterrupted = false;
  const passOn = (signal: NodeJS.Signals) => {
    // While the command runs, signals are for the command.
    if (commandRuns) return;
    isInterrupted = true;
    if (HAS_SESSIONS) scraper.kill(signal);
  };
  // Before there is a process: a signal would end this one alone, and leave the other without a command.
  for (const signal of ENDING_SIGNALS) process.on(signal, passOn);
  const scraper = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    detached: HAS_SESSIONS,
    env: { ...process.env, [SCRAPER]: "1" },
  });
  const ended = endOf(scraper);
  try {
    const begun = await Promise.race([beginOf(scraper), ended.then(() => undefined)]);
    if (begun === undefined) return codeOf(await ended);
    if (isInterrupted) {
      // It came too late to keep the capture from beginning.
      tell(scraper, { exitCode: null });
      await ended;
      throw notDone("interrupted before the command was started: nothing was written.");
    }
    commandRuns = true;
    const exitCode = await runChild(program, args).catch(async (error: unknown) => {
      tell(scraper, { exitCode: null });
      await ended;
      throw error;
    });
    commandRuns = false;
    tell(scraper, { exitCode });
    return codeOf(await ended, begun, exitCode);
  } finally {
    for (const signal of ENDING_SIGNALS) process.off(signal, passOn);
  }
}

type End = Pick<ChildProcess, "exitCode" | "signalCode">;

function endOf(scraper: ChildProcess): Promise<End> {
  return new Promise((resolve, reject) => {
    scraper.once("error", reject);
    scraper.once("exit", () => resolve(scraper));
  });
}

function beginOf(scraper: ChildProcess): Promise<Begun> {
  return new Promise((resolve) => {
    scraper.on("message", (message: unknown) => {
      if (isFields(message) && typeof message["journal"] === "string") resolve({ journal: message["journal"] });
    });
  });
}

/** One that has ended hears nothing; what its end means is told by `codeOf`. */
function tell(scraper: ChildProcess, message: { readonly exitCode: number | null }): void {
  if (scraper.connected) scraper.send(message, () => undefined);
}

function codeOf({ exitCode, signalCode }: End, begun?: Begun, commandCode = 0): number {
  if (exitCode !== null) return exitCode;
  const signal = signalCode ?? "SIGKILL";
  const isOurs = ENDING_SIGNALS.find((one) => one === signal);
  if (isOurs !== undefined) {
    // As the user ended it.
    endBy(isOurs);
    return 128 + constants.signals[isOurs];
  }
  const kept =
    begun === undefined ? "" : ` What it captured: server-metrics recover '${begun.journal}' --out DIR writes it.`;
  note(`server-metrics: the process that captured was ended by ${signal}.${kept}`);
  return commandCode === 0 ? 1 : commandCode;
}

/** The other process, which has the terminal and runs the command, as the scraper sees it. */
export class CommandProcess {
  private heard: (exitCode: number | undefined) => void = () => undefined;
  private readonly end = new Promise<number | undefined>((resolve) => (this.heard = resolve));

  private readonly onMessage = (message: unknown) => {
    if (!isFields(message)) return;
    const { exitCode } = message;
    this.heard(typeof exitCode === "number" ? exitCode : undefined);
  };

  /** It was killed: nobody is left to stop this one, which therefore waits for nothing more. */
  private readonly onGone = () => {
    this.heard(1);
    process.kill(process.pid, "SIGTERM");
  };

  /** Undefined in a process that is no scraper. */
  static ofScraper(): CommandProcess | undefined {
    if (process.env[SCRAPER] === undefined) return undefined;
    // Nothing that the scraper starts is one.
    delete process.env[SCRAPER];
    return new CommandProcess();
  }

  private constructor() {
    process.on("message", this.onMessage);
    process.on("disconnect", this.onGone);
  }

  /**
   * Has the command started, and waits for its end.
   * @returns its exit code
   * @throws ChildExit when it could not be started, which the other process says
   */
  async run(begun: Begun): Promise<number> {
    process.send?.(begun);
    const exitCode = await this.end;
    if (exitCode === undefined) throw new ChildExit(2);
    return exitCode;
  }

  /** Lets this process end. */
  release(): void {
    process.off("message", this.onMessage);
    process.off("disconnect", this.onGone);
    if (process.connected) process.disconnect();
  }
}
