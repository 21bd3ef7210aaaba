import { REDACTED } from "../core/model/index.js";

/** A server that repeats what it was sent must not bring it into a message. */
export function withoutSecrets(text: string, hidden: readonly string[]): string {
  return hidden.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
}

/** Of a header of an answer, no more than this stands in a message. */
const LONGEST_WORDS = 100;

/** What a server says in a header or the target of a redirect, for a message: any length, and maybe a secret. */
export function foreignWords(text: string, hidden: readonly string[]): string {
  const shown = withoutSecrets(text, hidden);
  return shown.length > LONGEST_WORDS ? `${shown.slice(0, LONGEST_WORDS)}…` : shown;
}
