import { UserError } from "../core/text/errors.js";

/** The errors an engine describes itself; everything else arrives as code "internal". */
export type EngineErrorCode =
  | "busy"
  | "no-run"
  | "no-findings"
  | "no-metric"
  | "no-samples"
  | "still-reading"
  | "not-capturing"
  | "nothing-reachable"
  | "nothing-captured"
  | "unusable-settings"
  | "export-failed"
  | "cancelled"
  | "no-comparison"
  | "nothing-to-compare"
  | "not-followable"
  | "store";

/** A rejection that says what went wrong, and what to do. */
export function engineError(code: EngineErrorCode, message: string, remedy?: string): UserError {
  return new UserError(message, remedy, { code });
}
