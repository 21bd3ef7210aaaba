import { REDACTED } from "../core/text/index.js";

/**
 * A server that repeats what it was sent must not bring it into a message, be it in upper or lower case or
 * percent-encoded.
 */
export function withoutSecrets(text: string, hidden: readonly string[]): string {
  if (hidden.length === 0) return text;
  // The longest first: a secret may begin with another one.
  const forms = [...hidden].sort((a, b) => b.length - a.length).map((secret) => [...secret].map(anyForm).join(""));
  return text.replace(new RegExp(forms.join("|"), "gi"), REDACTED);
}

/** A pattern of a character as it stands, or percent-encoded. */
function anyForm(character: string): string {
  if (/[a-z0-9]/i.test(character)) return character;
  const itself = character.replace(/[$()*+./?[\\\]^{|}-]/, "\\$&");
  const encoded = Buffer.from(character).toString("hex").replace(/../g, "%$&");
  return `(?:${itself}|${encoded}${character === " " ? "|\\+" : ""})`;
}

/** Of a header of an answer, no more than this stands in a message. */
const LONGEST_WORDS = 100;

/** What a server says in a header or the target of a redirect, for a message: any length, and maybe a secret. */
export function serverWords(text: string, hidden: readonly string[]): string {
  const shown = withoutSecrets(text, hidden);
  return shown.length > LONGEST_WORDS ? `${shown.slice(0, LONGEST_WORDS)}…` : shown;
}
