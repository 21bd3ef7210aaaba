import type { Problem } from "../core/model/index.js";
import { UserError } from "../core/text/errors.js";
import { describeError } from "../protocol/channel.js";

/** The user gave up, or what was asked is gone with its view. */
export function isCancelled(error: unknown): boolean {
  return error instanceof UserError && (error.code === "cancelled" || error.code === "disposed");
}

/** What happened as a sentence. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  // An address or a metric's name keeps its first letter.
  const capital = /^[a-z]+[ ,]/.test(trimmed) ? trimmed.charAt(0).toUpperCase() + trimmed.slice(1) : trimmed;
  return /[.!?…:]$/.test(capital) || capital === "" ? capital : `${capital}.`;
}

/** Message and remedy of anything thrown, as text for a person. */
export function words(error: unknown): string {
  const { message, remedy } = describeError(error);
  return problemWords({ reason: message, remedy });
}

/** Reason and remedy of a problem the engine reports. */
export function problemWords({ reason, remedy }: Pick<Problem, "reason" | "remedy">): string {
  return remedy === undefined ? sentence(reason) : `${sentence(reason)} ${sentence(remedy)}`;
}
