import { RequestError } from "../protocol/channel.js";
import { UserError } from "./errors.js";

/** The user gave up, or what was asked is gone with its view. */
export function isCancelled(error: unknown): boolean {
  return error instanceof RequestError && (error.code === "cancelled" || error.code === "disposed");
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
  if (error instanceof UserError || error instanceof RequestError) {
    return error.remedy === undefined
      ? sentence(error.message)
      : `${sentence(error.message)} ${sentence(error.remedy)}`;
  }
  return sentence(error instanceof Error ? error.message : String(error));
}

/** Reason and remedy of a problem the engine reports. */
export function problemWords({ reason, remedy }: { readonly reason: string; readonly remedy?: string }): string {
  return remedy === undefined ? sentence(reason) : `${sentence(reason)} ${sentence(remedy)}`;
}
