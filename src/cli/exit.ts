import { scrubText, errorCode, errorText, UserError } from "../core/text/index.js";

/**
 * The line for a person; unexpected errors keep their message, never a stack trace. A URL that was given where a file
 * is expected is named in it.
 */
export function errorLine(error: unknown): string {
  return `server-metrics: ${scrubText(errorText(error))}`;
}

/**
 * The exit code for what a command threw, 2 unless the error has one of its own. They are: 0 done; 1 a check failed or
 * nothing could be captured; 2 bad usage or unreadable input; 3 not checked.
 */
export function exitCodeOf(error: unknown): number {
  if (error instanceof UserError && error.exitCode !== undefined) return error.exitCode;
  return EXIT_1_CODES.has(errorCode(error) ?? "") ? 1 : 2;
}

/** Codes of what failed although it was asked for in the right way. */
const EXIT_1_CODES: ReadonlySet<string> = new Set(["nothing-reachable", "too-much", "push-failed"]);
