import { scrubText, errorCode, errorText, UserError } from "../core/text/index.js";

/**
 * The line for a person; unexpected errors keep their message, never a stack trace. A URL that was given where a file
 * is expected is named in it.
 */
export function errorLine(error: unknown): string {
  return `server-metrics: ${scrubText(errorText(error))}`;
}

/** What failed although it was asked for in the right way. */
export function notDone(message: string, remedy?: string): UserError {
  return new UserError(message, remedy, { code: "not-done" });
}

/**
 * The exit code for what a command threw. They are: 0 done; 1 a check failed, or what was asked for in the right way
 * could not be done; 2 bad usage or unreadable input; 3 not checked.
 */
export function exitCodeOf(error: unknown): 1 | 2 {
  return EXIT_1_CODES.has(errorCode(error) ?? "") ? 1 : 2;
}

const EXIT_1_CODES: ReadonlySet<string> = new Set(["not-done", "nothing-reachable", "too-much", "push-failed"]);
