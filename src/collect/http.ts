import { Client } from "undici";
import { NS_PER_MS, type EpochNs } from "../core/model/index.js";
import type { BodyBuffer } from "./body-buffer.js";
import { decodeBody } from "./encoding.js";
import { Exchange, type Answer } from "./exchange.js";
import {
  networkFailure,
  statusFailure,
  timeoutFailure,
  tooLargeFailure,
  truncatedFailure,
  type Failure,
} from "./failure.js";
import type { Time } from "./time.js";
import { isLoopback } from "./url.js";

export interface FetchRequest {
  readonly method: "GET" | "HEAD";
  readonly url: string;
  /** Where the body is put; the result's body may be a view of it. */
  readonly into: BodyBuffer;
  readonly limitBytes: number;
  /** In all: connecting, redirects, waiting, reading. */
  readonly timeoutMs: number;
  /** The limit as the user knows it, when this request has only the rest of it. */
  readonly statedTimeoutMs?: number;
}

export type FetchOutcome =
  /** A complete body with a status of success, decoded. */
  | { readonly kind: "body"; readonly contentType: string; readonly body: Uint8Array }
  /** The headers announce JSON: the body was not read. */
  | { readonly kind: "json"; readonly contentType: string }
  | { readonly kind: "failed"; readonly failure: Failure }
  /** The fetcher was closed meanwhile. */
  | { readonly kind: "cancelled" };

export type FetchResult = FetchOutcome & {
  readonly requestSent: EpochNs;
  /** First byte of the response; of one that failed, the moment it failed. */
  readonly firstByte: EpochNs;
  /** Body complete (or failed). */
  readonly completed: EpochNs;
};

const MAX_REDIRECTS = 5;

/** One server's connection, kept alive from request to request. */
interface Connection {
  readonly client: Client;
  requests: number;
}

/**
 * Fetches one endpoint's bodies, one request at a time, over a connection of its own, so that no other endpoint
 * ever waits for it. Asks for the text format; follows redirects; decodes gzip, deflate and br.
 */
export class Fetcher {
  private readonly connections = new Map<string, Connection>();
  private readonly headers: { readonly [name: string]: string };
  private readonly credentialsOrigin: string;
  private current: { readonly cancel: () => void; readonly giveUp: () => void } | undefined;
  private closed = false;

  constructor(
    private readonly time: Time,
    url: string,
    headers: { readonly [name: string]: string },
  ) {
    this.credentialsOrigin = new URL(url).origin;
    this.headers = lowerCaseNames(headers);
  }

  /** Never rejects. */
  async fetch(request: FetchRequest): Promise<FetchResult> {
    const begun = this.time.now();
    let first: Exchange | undefined;
    let retried = false;
    let url = new URL(request.url);
    let expire = () => {};
    let limitMs = request.statedTimeoutMs ?? request.timeoutMs;
    const giveUp = () => {
      limitMs = Math.round(Number(this.time.now() - begun) / NS_PER_MS / 100) * 100;
      expire();
    };
    // Resolves by itself only once: later calls find the exchange settled.
    const cancelTimer = this.time.after(request.timeoutMs, () => expire());
    try {
      for (let redirects = 0; ;) {
        if (this.closed) return this.finish({ kind: "cancelled" }, begun, first);
        request.into.clear();
        const exchange = new Exchange(this.time, request.into, request.limitBytes, request.method);
        first ??= exchange;
        expire = () => exchange.settle({ kind: "timeout" });
        this.current = { cancel: () => exchange.settle({ kind: "cancelled" }), giveUp };
        const connection = this.connect(url);
        exchange.onSent = () => connection.requests++;
        connection.client.dispatch(
          { path: url.pathname + url.search, method: request.method, headers: this.headersFor(url) },
          exchange,
        );
        const answer = await exchange.answer;
        if (answer.kind === "timeout" || answer.kind === "cancelled" || answer.kind === "too-large") this.drop(url);

        if (answer.kind === "error" && exchange.progress.stage === "waiting" && connection.requests > 1 && !retried) {
          // The server closed an idle connection just as it was used again: a new one answers.
          retried = true;
          first = undefined;
          continue;
        }
        if (
          answer.kind === "response" &&
          isRedirect(answer.status) &&
          answer.location !== undefined &&
          redirects < MAX_REDIRECTS
        ) {
          const target: URL | undefined = URL.canParse(answer.location, url.href)
            ? new URL(answer.location, url)
            : undefined;
          if (target?.protocol === "http:" || target?.protocol === "https:") {
            url = target;
            redirects++;
            continue;
          }
        }
        return this.finish(await this.outcome(request, url, answer, exchange, limitMs), begun, first, exchange);
      }
    } finally {
      cancelTimer();
      this.current = undefined;
    }
  }

  /** Ends the request under way as if its time were up now. */
  giveUp(): void {
    this.current?.giveUp();
  }

  /** Ends the request under way (its result is "cancelled") and closes the connections. */
  close(): void {
    this.closed = true;
    this.current?.cancel();
    for (const { client } of this.connections.values()) client.destroy(null, () => {});
    this.connections.clear();
  }

  private async outcome(
    request: FetchRequest,
    url: URL,
    answer: Answer,
    exchange: Exchange,
    limitMs: number,
  ): Promise<FetchOutcome> {
    switch (answer.kind) {
      case "timeout":
        return { kind: "failed", failure: timeoutFailure(url, exchange.progress, limitMs) };
      case "cancelled":
        return { kind: "cancelled" };
      case "too-large":
        return { kind: "failed", failure: tooLargeFailure(url, request.limitBytes) };
      case "error":
        return { kind: "failed", failure: networkFailure(answer.error, url, exchange.progress) };
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
        failure: statusFailure(url, status, contentType, answer.contentEncoding === "" ? raw : NO_BYTES),
      };
    if (request.method === "HEAD") return { kind: "body", contentType, body: raw };
    if (answer.contentEncoding === "") {
      // Both formats end with a line feed: without one, a number may have lost its last digits.
      if (!delimited && raw.length > 0 && raw.at(-1) !== LINE_FEED)
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
        return { kind: "failed", failure: truncatedFailure(url, exchange.progress) };
      case "unknown":
        return {
          kind: "failed",
          failure: {
            type: "other",
            reason: `${url.host} compressed its answer in a way that was not asked for and is not understood (${decoded.encoding}).`,
            remedy: "Check the server or the proxy before it.",
          },
        };
      case "corrupt":
        return {
          kind: "failed",
          failure: {
            type: "other",
            reason: `The answer of ${url.host} says it is compressed (${answer.contentEncoding}) but cannot be decompressed: ${decoded.reason}.`,
            remedy: "Check the server or the proxy before it.",
          },
        };
    }
  }

  private finish(outcome: FetchOutcome, begun: EpochNs, first: Exchange | undefined, last?: Exchange): FetchResult {
    const completed = last?.completed ?? this.time.now();
    const answered = outcome.kind === "body" || outcome.kind === "json";
    return {
      ...outcome,
      requestSent: first?.requestSent ?? begun,
      firstByte: (answered ? last?.firstByte : undefined) ?? completed,
      completed,
    };
  }

  private connect(url: URL): Connection {
    const known = this.connections.get(url.origin);
    if (known !== undefined) return known;
    // The request's own timeout covers all of undici's.
    const client = new Client(url.origin, { pipelining: 1, connectTimeout: 0, headersTimeout: 0, bodyTimeout: 0 });
    const connection: Connection = { client, requests: 0 };
    client.on("connect", () => (connection.requests = 0));
    this.connections.set(url.origin, connection);
    return connection;
  }

  /** A connection that hangs cannot be used again. */
  private drop(url: URL): void {
    const connection = this.connections.get(url.origin);
    this.connections.delete(url.origin);
    connection?.client.destroy(null, () => {});
  }

  /** The user's headers go to the endpoint's own origin only. */
  private headersFor(url: URL): { [name: string]: string } {
    const own = url.origin === this.credentialsOrigin ? this.headers : {};
    return {
      // Some exporters switch to OpenMetrics as soon as it is mentioned, however low its weight; they all have the text
      // format.
      accept: "text/plain;version=0.0.4,*/*;q=0.1",
      // Compressing costs the server that is being measured, and on one machine buys nothing.
      "accept-encoding": isLoopback(url.hostname) ? "identity" : "gzip, deflate",
      "user-agent": "server-metrics",
      ...own,
    };
  }
}

const NO_BYTES = new Uint8Array(0);
const LINE_FEED = 0x0a;

function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}

function lowerCaseNames(headers: { readonly [name: string]: string }): { [name: string]: string } {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
