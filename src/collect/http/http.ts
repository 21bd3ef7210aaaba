import type { EpochNs } from "../../core/model/index.js";
import { errorCode } from "../../core/text/index.js";
import type { ByteBuffer } from "../../core/bytes/index.js";
import { decodeBody } from "./encoding.js";
import { Exchange, type ExchangeResult, redirectFailure, redirectOf } from "./exchange.js";
import {
  certificatesOf,
  connectionTo,
  lookupUnreserved,
  exceedsContentLength,
  throughProxy,
  type Connecting,
  type Connection,
} from "./connection.js";
import {
  networkFailure,
  shortLengthFailure,
  statusFailure,
  timeoutFailure,
  tooLargeFailure,
  truncatedFailure,
  undecodedFailure,
  type Failure,
  type RequestPlace,
  type TimeLimit,
} from "../failure.js";
import { serverWords, withoutSecrets } from "../server-words.js";
import { secretsIn, type Access } from "../secrets.js";
import type { Clock } from "../clock.js";
import { isLoopback } from "../url.js";

export interface FetchRequest {
  readonly method: "GET" | "HEAD";
  readonly url: string;
  /** Where the body is put; the result's body may be a view of it. */
  readonly into: ByteBuffer;
  readonly limitBytes: number;
  /** In all: connecting, redirects, waiting, reading. */
  readonly timeoutMs: number;
  /** What limits it, where this request has only the rest of it. Absent: the scrape timeout, all of it. */
  readonly limit?: TimeLimit;
  /** JSON is what is asked for; else an answer that announces it is not read. */
  readonly json?: boolean;
}

export type FetchOutcome =
  /** A complete body with a status of success, decoded. */
  | { readonly kind: "body"; readonly contentType: string; readonly body: Uint8Array }
  /** The headers announce JSON: the body was not read. */
  | { readonly kind: "json"; readonly contentType: string }
  | { readonly kind: "failed"; readonly failure: Failure }
  /** The fetcher was closed meanwhile. */
  | { readonly kind: "cancelled" };

export interface FetchResult {
  readonly outcome: FetchOutcome;
  readonly requestSent: EpochNs;
  /** First byte of the response; of one that failed, the moment it failed. */
  readonly firstByte: EpochNs;
  /** Body complete (or failed). */
  readonly completed: EpochNs;
  /**
   * Milliseconds between `requestSent` and `completed` in which this thread had nothing else to do. The server took at
   * least this long; what is missing to the whole time it may have taken, too, or the answer lay here unread.
   */
  readonly waitedMs: number;
}

/** Where a request goes, and with what. */
interface Asked {
  readonly text: string;
  readonly json: boolean;
  readonly url: URL;
  readonly headers: { readonly [name: string]: string };
}

/**
 * Fetches one endpoint's bodies, one request at a time, over a connection of its own, so that no other endpoint
 * ever waits for it. Asks for the text format, or JSON; follows redirects within the server, to no other one; decodes
 * gzip, deflate and br.
 */
export class Fetcher {
  private connection: Connection | undefined;
  private readonly headers: { readonly [name: string]: string };
  private readonly origin: string;
  private current: { readonly cancel: () => void; readonly giveUp: () => void } | undefined;
  private closed = false;
  /** What is sent in secret: nothing that the server says brings it into a message. */
  readonly hidden: readonly string[];
  /** Of the last request: most are like the one before. */
  private asked: Asked | undefined;

  constructor(
    private readonly time: Clock,
    private readonly access: Access,
  ) {
    this.origin = new URL(access.url).origin;
    this.headers = lowerCaseNames(access.headers);
    this.hidden = secretsIn(access);
  }

  /** Never rejects. */
  async fetch(request: FetchRequest): Promise<FetchResult> {
    const begun = this.time.now();
    let first: Exchange | undefined;
    let retried = false;
    const asked = this.askedOf(request);
    let { url } = asked;
    let expire = () => {};
    let givenUp = false;
    let limit: TimeLimit = request.limit ?? { name: "scrape timeout", ms: request.timeoutMs };
    const giveUp = () => {
      givenUp = true;
      limit = { name: "flush period" };
      expire();
    };
    // Resolves by itself only once: later calls find the exchange settled.
    const cancelTimer = this.time.after(request.timeoutMs, () => expire());
    try {
      for (let redirects = 0; ;) {
        // Between two exchanges, too, the end may come.
        if (this.closed) return this.finish(this.ended(givenUp, asked.url, first, limit), begun, first);
        request.into.clear();
        const exchange = new Exchange(this.time, request.into, request.limitBytes, request.method, request.json);
        first ??= exchange;
        expire = () => exchange.settle({ kind: "timeout" });
        this.current = { cancel: () => exchange.settle({ kind: "cancelled" }), giveUp };
        const connection = (this.connection ??= connectionTo(this.origin, this.connecting()));
        connection.exchange = exchange;
        exchange.onSent = () => connection.requests++;
        connection.client.dispatch(
          {
            origin: this.origin,
            // A redirect says itself what it wants to be asked.
            path: url.pathname + (redirects === 0 ? (this.access.search ?? url.search) : url.search),
            method: request.method,
            headers: asked.headers,
          },
          exchange,
        );
        const answer = await exchange.answer;
        if (hangsAfter(answer)) this.drop();
        if (answer.kind === "error" && exchange.progress.stage === "waiting" && connection.requests > 1 && !retried) {
          // The server closed an idle connection just as it was used again: a new one answers.
          retried = true;
          first = undefined;
          continue;
        }
        const named = redirects === 0 ? url : this.named(url);
        const overran = answer.kind === "response" && (await exceedsContentLength(connection, answer, request));
        if (overran && !this.closed)
          return this.finish(
            { kind: "failed", failure: shortLengthFailure(named, request.into.length) },
            begun,
            first,
            exchange,
          );
        const redirect = redirectOf(answer, url, redirects, this.hidden);
        if (redirect instanceof URL) {
          url = redirect;
          redirects++;
          continue;
        }
        const outcome: FetchOutcome =
          redirect !== undefined && answer.kind === "response"
            ? { kind: "failed", failure: redirectFailure(named, answer.status, redirect) }
            : await this.outcome(request, named, answer, exchange, limit);
        // The end may come while a complete answer is looked at or decoded on another thread.
        const ended = answer.kind === "response" && this.closed;
        return this.finish(ended ? this.ended(givenUp, named, exchange, limit) : outcome, begun, first, exchange);
      }
    } finally {
      cancelTimer();
      this.current = undefined;
      if (this.connection !== undefined) this.connection.exchange = undefined;
    }
  }

  /** Ends the request under way: the flush period is over. */
  giveUp(): void {
    this.current?.giveUp();
  }

  /** Ends the request under way (its result is "cancelled") and closes the connections. */
  close(): void {
    this.closed = true;
    this.current?.cancel();
    this.drop();
  }

  /** Of a request whose fetcher was closed: it was given up before, or is left without a trace. */
  private ended(givenUp: boolean, url: RequestPlace, last: Exchange | undefined, limit: TimeLimit): FetchOutcome {
    if (!givenUp) return { kind: "cancelled" };
    return { kind: "failed", failure: timeoutFailure(url, last?.progress ?? { stage: "connecting" }, limit) };
  }

  private async outcome(
    request: FetchRequest,
    url: RequestPlace,
    answer: ExchangeResult,
    exchange: Exchange,
    limit: TimeLimit,
  ): Promise<FetchOutcome> {
    switch (answer.kind) {
      case "timeout":
        return { kind: "failed", failure: timeoutFailure(url, exchange.progress, limit) };
      case "cancelled":
        return { kind: "cancelled" };
      case "too-large":
        return { kind: "failed", failure: tooLargeFailure(url, request.limitBytes) };
      case "error":
        return { kind: "failed", failure: throughProxy(networkFailure(answer.error, url, exchange.progress)) };
      case "json":
        return { kind: "json", contentType: answer.contentType };
      case "response":
        break;
    }
    const { status, contentType, delimited } = answer;
    const raw = request.into.view;
    if (status < 200 || status > 299)
      return {
        kind: "failed",
        failure: statusFailure(
          url,
          status,
          contentType,
          answer.contentEncoding === ""
            ? Buffer.from(withoutSecrets(Buffer.from(raw.subarray(0, MAX_WORDS)).toString("utf8"), this.hidden))
            : NO_BYTES,
        ),
      };
    if (request.method === "HEAD") return { kind: "body", contentType, body: raw };
    if (answer.contentEncoding === "") {
      // Both formats end with a line feed: without one, a number may have lost its last digits.
      if (!delimited && request.json !== true && raw.length > 0 && raw.at(-1) !== LINE_FEED)
        return { kind: "failed", failure: truncatedFailure(url, exchange.progress) };
      return { kind: "body", contentType, body: raw };
    }
    const decoded = await decodeBody(raw, answer.contentEncoding, request.limitBytes);
    switch (decoded.kind) {
      case "body":
        return { kind: "body", contentType, body: decoded.body };
      case "too-large":
        return { kind: "failed", failure: tooLargeFailure(url, request.limitBytes) };
      case "truncated":
      case "unknown":
      case "corrupt":
        return {
          kind: "failed",
          failure: undecodedFailure(url, decoded, answer.contentEncoding, exchange.progress, this.hidden),
        };
    }
  }

  private finish(outcome: FetchOutcome, begun: EpochNs, first: Exchange | undefined, last?: Exchange): FetchResult {
    const completed = last?.completed ?? this.time.now();
    const answered = outcome.kind === "body" || outcome.kind === "json";
    const requestSent = first?.requestSent ?? begun;
    const firstByte = (answered ? last?.firstByte : undefined) ?? completed;
    const waitedMs = first === undefined || last === undefined ? 0 : Math.max(0, last.idleAtEnd - first.idleAtSent);
    return { outcome, requestSent, firstByte, completed, waitedMs };
  }

  /** The target of a redirect, as messages name it: text of a server, and no URL any more. */
  private named({ protocol, host, hostname, pathname }: URL): RequestPlace {
    const shown = (text: string) => serverWords(text, this.hidden);
    return { protocol, host: shown(host), hostname: shown(hostname), pathname: shown(pathname) };
  }

  private connecting(): Connecting {
    const { tls, avoidsReserved } = this.access;
    return { ...certificatesOf(tls), ...(avoidsReserved === true ? { lookup: lookupUnreserved } : {}) };
  }

  /** A connection that hangs, so that it cannot be used again, or that nobody needs. */
  private drop(): void {
    this.connection?.client.destroy(null, () => {});
    this.connection = undefined;
  }

  private askedOf(request: FetchRequest): Asked {
    const json = request.json === true;
    if (this.asked?.text === request.url && this.asked.json === json) return this.asked;
    const url = new URL(request.url);
    return (this.asked = { text: request.url, json, url, headers: this.headersFor(url, json) });
  }

  private headersFor(url: URL, json: boolean): { [name: string]: string } {
    return {
      // Some exporters switch to OpenMetrics as soon as it is mentioned, however low its weight; they all have the text
      // format.
      accept: json ? "application/json" : "text/plain;version=0.0.4,*/*;q=0.1",
      // Compressing costs the server that is being measured, and on one machine buys nothing.
      "accept-encoding": isLoopback(url.hostname) ? "identity" : "gzip, deflate",
      "user-agent": "server-metrics",
      ...this.headers,
    };
  }
}

const NO_BYTES = new Uint8Array(0);
/** Of the body of an error, bytes that are looked at for its message, which has far fewer. */
const MAX_WORDS = 4096;
const LINE_FEED = 0x0a;

function lowerCaseNames(headers: { readonly [name: string]: string }): { [name: string]: string } {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** undici's client sends nothing more after a certificate for another host, either. */
function hangsAfter(answer: ExchangeResult): boolean {
  if (answer.kind === "error") return errorCode(answer.error) === "ERR_TLS_CERT_ALTNAME_INVALID";
  return answer.kind === "timeout" || answer.kind === "cancelled" || answer.kind === "too-large";
}
