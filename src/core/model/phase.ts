import type { Phase } from "./run-metadata.js";
import type { EpochNs } from "./time.js";

/** A stretch of time, both ends included. */
export interface TimeRange {
  readonly start: EpochNs;
  readonly end: EpochNs;
}

/** A part of a run that has a name: a warm-up, or one step of a load. */
export interface NamedPhase {
  /** As `isPhaseName` has it; unique within its run, whatever the case of its letters. */
  readonly name: string;
  readonly kind: Phase;
  readonly start: EpochNs;
  /** Absent while the phase goes on. */
  readonly end?: EpochNs;
  /** The scrapes that are its own: `from` ≤ time < `to`. Absent: those from its start to its end. */
  readonly tags?: { readonly from: EpochNs; readonly to: EpochNs };
}

/** What the reference allows for a phase's name: a letter or "_", then letters, digits, "_" and "-". */
export const PHASE_NAME_RULE = 'a letter or "_", then letters, digits, "_" and "-"';

/** Whether a text may name a phase, which also names a folder. */
export function isPhaseName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_-]{0,99}$/.test(text);
}
