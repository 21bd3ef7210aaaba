import { once } from "node:events";
import type { LookupFunction } from "node:net";
import { Agent, EnvHttpProxyAgent, request, type Dispatcher } from "undici";
import type { EndpointOptions, TlsOptions } from "../../core/model/index.js";
import { decodeBody } from "./encoding.js";
import {
  networkFailure,
  timeoutFailure,
  tooLargeFailure,
  undecodedFailure,
  type AnswerRemedies,
  type Failure,
} from "../failure.js";
import { certificatesOf, hasProxy, throughProxy, watchedLookup } from "./connection.js";
import { withoutSecrets } from "../server-words.js";
import { secretsIn } from "../secrets.js";
import { isLoopback, parseServerUrl } from "../url.js";

export interface ServerRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Put behind the server's own path: "/api/v1/query"; "" for the URL as it stands. */
  readonly path: string;
  readonly query?: URLSearchParams;
  readonly body?: Uint8Array | string;
  readonly headers?: { readonly [name: string]: string };
  /** In all. */
  readonly timeoutMs: number;
  /** Largest accepted body, uncompressed. */
  readonly limitBytes?: number;
  /** What to do where the answer is too slow or too large. */
  readonly remedies: Required<AnswerRemedies>;
  /** An encoding of the answer that the caller decodes: a body in it is given as it came. */
  readonly takes?: "snappy";
  readonly signal?: AbortSignal | undefined;
}

export type ServerAnswer =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly contentType: string;
      readonly retryAfter?: string;
      readonly body: Uint8Array;
    }
  | { readonly kind: "failed"; readonly failure: Failure };

const DEFAULT_LIMIT_BYTES = 256 * 1024 * 1024;
/** Of what comes with an error only the first words are said: a larger page is left out, and its status stands. */
const ERROR_LIMIT_BYTES = 1024 * 1024;
const NO_BYTES = new Uint8Array();

/**
 * Asks a server that is no endpoint of metrics: a store, a gateway. Several requests run at a time over connections
 * that are kept; credentials of its URL, headers and certificates are sent to it alone, as redirects are not followed.
 */
export class ServerClient {
  /** As it may be shown and recorded: without credentials and secret parameters. */
  readonly url: string;
  private readonly base: URL;
  private readonly headers: { readonly [name: string]: string };
  private readonly dispatcher: Dispatcher;
  private readonly hidden: readonly string[];
  /** Under way. */
  private lookups = 0;

  /** @throws InvalidUrlError */
  constructor({ url, headers = {}, tls, secretParameters }: EndpointOptions) {
    const address = parseServerUrl(url, secretParameters);
    this.url = address.url.replace(/\/$/, "");
    this.base = new URL(address.url);
    if (address.search !== undefined) this.base.search = address.search;
    this.headers = {
      ...(address.authorization === undefined ? {} : { authorization: address.authorization }),
      ...headers,
    };
    this.hidden = secretsIn({ ...address, headers: this.headers });
    const lookup = watchedLookup((pending) => (this.lookups += pending ? 1 : -1));
    this.dispatcher = dispatcherFor(tls, lookup);
  }

  /** Settles with what came of it, also when that is a failure. @throws the signal's reason */
  async send({
    method,
    path,
    query,
    body,
    headers,
    timeoutMs,
    limitBytes,
    remedies,
    takes,
    signal,
  }: ServerRequest): Promise<ServerAnswer> {
    const url = this.urlOf(path, query);
    const timeout = AbortSignal.timeout(timeoutMs);
    const ends = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    let answered = false;
    try {
      const asked = request(url, {
        method,
        dispatcher: this.dispatcher,
        headers: {
          accept: "application/json",
          "accept-encoding": isLoopback(url.hostname) ? "identity" : "gzip",
          "user-agent": "server-metrics",
          ...this.headers,
          ...headers,
        },
        ...(body === undefined ? {} : { body }),
        headersTimeout: 0,
        bodyTimeout: 0,
        signal: ends,
      });
      // A request that has no connection yet does not hear of its end.
      const response = await Promise.race([asked, aborted(ends)]);
      answered = true;
      const { statusCode: status, headers: given } = response;
      const isError = status >= 300;
      const limit = isError ? ERROR_LIMIT_BYTES : (limitBytes ?? DEFAULT_LIMIT_BYTES);
      const retryAfter = given["retry-after"];
      const answer = (body: Uint8Array): ServerAnswer => ({
        kind: "answer",
        status,
        contentType: headerText(given["content-type"]),
        ...(retryAfter === undefined ? {} : { retryAfter: headerText(retryAfter) }),
        body,
      });
      const tooLarge = () =>
        isError ? answer(NO_BYTES) : { kind: "failed" as const, failure: tooLargeFailure(url, limit, remedies) };
      const chunks: Uint8Array[] = [];
      let bytes = 0;
      for await (const chunk of response.body) {
        if (!(chunk instanceof Uint8Array)) continue;
        bytes += chunk.length;
        if (bytes > limit) return tooLarge();
        chunks.push(chunk);
      }
      const [whole, encoding] = [Buffer.concat(chunks), headerText(given["content-encoding"])];
      const isTaken = takes !== undefined && encoding === takes;
      const decoded = await decodeBody(whole, isTaken ? "" : encoding, limit);
      if (decoded.kind === "too-large") return tooLarge();
      if (decoded.kind !== "body")
        return {
          kind: "failed",
          failure: undecodedFailure(url, decoded, encoding, { stage: "body", bytes }, this.hidden),
        };
      return answer(decoded.body);
    } catch (error) {
      signal?.throwIfAborted();
      const progress = answered
        ? ({ stage: "body", bytes: 0 } as const)
        : ({ stage: this.lookups > 0 ? "resolving" : "waiting" } as const);
      if (timeout.aborted)
        return {
          kind: "failed",
          failure: timeoutFailure(url, progress, { name: "scrape timeout", ms: timeoutMs }, remedies),
        };
      if (!(error instanceof Error)) throw error;
      return { kind: "failed", failure: throughProxy(networkFailure(error, url, progress)) };
    }
  }

  /** What the server says in its body, on one line, for a message: without what it was sent in secret. */
  wordsOf(body: Uint8Array): string {
    const line = Buffer.from(body.subarray(0, 2000)).toString("utf8").replace(/\s+/g, " ").trim();
    const text = withoutSecrets(line, this.hidden);
    return text.length > 300 ? `${text.slice(0, 300)}…` : text;
  }

  close(): void {
    void this.dispatcher.destroy().catch(() => undefined);
  }

  private urlOf(path: string, query?: URLSearchParams): URL {
    const url = new URL(this.base);
    url.hash = "";
    if (path !== "") url.pathname = url.pathname.replace(/\/+$/, "") + path;
    for (const [name, value] of query ?? []) url.searchParams.append(name, value);
    return url;
  }
}

async function aborted(signal: AbortSignal): Promise<never> {
  await once(signal, "abort");
  signal.throwIfAborted();
  throw new Error("the request was given up");
}

function headerText(value: string | readonly string[] | undefined): string {
  return typeof value === "string" ? value : (value ?? []).join(", ");
}

function dispatcherFor(tls: TlsOptions | undefined, lookup: LookupFunction): Dispatcher {
  const connect = { lookup, ...certificatesOf(tls) };
  return hasProxy()
    ? new EnvHttpProxyAgent({ connect, requestTls: connect, proxyTunnel: false })
    : new Agent({ connect });
}
