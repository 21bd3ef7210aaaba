import { scrubText } from "../core/model/index.js";
import { errorCode, errorText } from "../core/text/index.js";

/** 0 done; 1 a check failed or nothing could be captured; 2 bad usage or unreadable input; 3 not checked. */
export type ExitCode = 0 | 1 | 2 | 3;

/** Ends a command with one clear line on standard error. */
export class CommandError extends Error {
  override readonly name = "CommandError";

  constructor(
    message: string,
    readonly exitCode: ExitCode = 2,
    readonly remedy?: string,
  ) {
    super(message);
  }
}

/**
 * The line for a person; unexpected errors keep their message, never a stack trace. A URL that was given where a file
 * is expected is named in it.
 */
export function errorLine(error: unknown): string {
  return `server-metrics: ${scrubText(errorText(error))}`;
}

/** The exit code for what a command threw: 2 unless the error has one of its own. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode;
  // What the engine could not start with: nothing was captured.
  if (errorCode(error) === "nothing-reachable") return 1;
  return 2;
}
