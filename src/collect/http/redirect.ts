import type { ExchangeResult } from "./exchange.js";
import type { Failure, RequestPlace } from "../failure.js";
import { serverWords } from "../server-words.js";

const MAX_REDIRECTS = 5;
const STATUSES: readonly number[] = [301, 302, 303, 307, 308];

/** Why a redirect is not followed. */
export interface EndedRedirect {
  readonly fact: string;
  readonly remedy: string;
}

/**
 * Where an answer sends its request, or why that is not followed: no server names another one to be contacted.
 * Undefined of an answer that is no redirect.
 * @param followed redirects so far
 * @param hidden what was sent in secret
 */
export function redirectOf(
  answer: ExchangeResult,
  from: URL,
  followed: number,
  hidden: readonly string[],
): URL | EndedRedirect | undefined {
  if (answer.kind !== "response" || !STATUSES.includes(answer.status)) return undefined;
  const { location } = answer;
  if (location === undefined) return { fact: ", a redirect without a target", remedy: "Use the final URL." };
  if (!URL.canParse(location, from.href))
    return { fact: ", a redirect to what is no URL", remedy: "Use the final URL." };
  const target = new URL(location, from);
  if (target.protocol !== "http:" && target.protocol !== "https:")
    return {
      fact: `, a redirect to ${serverWords(target.protocol, [])}, which is not followed`,
      remedy: "Metrics are read by http:// and https:// only: use the URL where the server exposes them.",
    };
  if (target.origin !== from.origin)
    return {
      fact: `, a redirect to ${serverWords(target.origin, hidden)}, which is another server and is not followed`,
      remedy: "If you mean that server, use its URL.",
    };
  if (followed < MAX_REDIRECTS) return target;
  return {
    fact: ` after ${followed} redirects`,
    remedy: "The endpoint redirects in a circle, or too often: use the final URL.",
  };
}

/** A redirect that was not followed, and why. */
export function redirectFailure(url: RequestPlace, status: number, { fact, remedy }: EndedRedirect): Failure {
  return {
    type: "http-status",
    status,
    reason: `${url.host}${url.pathname} answered with HTTP ${status}${fact}.`,
    remedy,
  };
}
