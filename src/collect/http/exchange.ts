import { buildConnector, type Dispatcher } from "undici";
import type { EpochNs } from "../../core/model/index.js";
import type { ByteBuffer } from "../../core/bytes/index.js";
import { isJsonContentType } from "../../core/exposition/index.js";
import type { RequestStage, Failure, RequestPlace } from "../failure.js";
import type { Clock } from "../clock.js";
import { serverWords } from "../server-words.js";
import type { LookupFunction, Socket } from "node:net";

/** How one request ended. */
export type ExchangeResult =
  /** Complete; the body is in the buffer (of an error status: its first bytes). */
  | {
      readonly kind: "response";
      readonly status: number;
      readonly contentType: string;
      /** "" for a plain body. */
      readonly contentEncoding: string;
      readonly location: string | undefined;
      /** The headers tell where the body ends; else the end of the connection does, be it for good or ill. */
      readonly delimited: boolean;
      /** By a Content-Length. */
      readonly counted: boolean;
    }
  | { readonly kind: "json"; readonly contentType: string }
  | { readonly kind: "too-large" }
  | { readonly kind: "error"; readonly error: Error }
  | { readonly kind: "timeout" }
  | { readonly kind: "cancelled" };

const NO_CONTENT = 204;
/** Of an error page, no more than this is read. */
const ERROR_BODY_BYTES = 4096;

/**
 * One request's way through undici, at its lowest interface: the only one that tells when a request is written to an
 * established connection and when the first byte of the response comes, before its headers are complete.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<ExchangeResult>;
  /** When the request was written to the connection. */
  requestSent: EpochNs | undefined;
  firstByte: EpochNs | undefined;
  completed: EpochNs | undefined;
  /** What the clock's `idleMs` was when the request was written, and when its answer was complete. */
  idleAtSent = 0;
  idleAtEnd = 0;
  /** The server's name is being looked up. */
  isResolving = false;
  /** Called when the request is written. */
  onSent: () => void = () => {};

  private resolve: (answer: ExchangeResult) => void = () => {};
  private settled = false;
  private controller: Dispatcher.DispatchController | undefined;
  private response: Extract<ExchangeResult, { kind: "response" }> | undefined;
  private success = false;

  constructor(
    private readonly time: Clock,
    private readonly into: ByteBuffer,
    private readonly limitBytes: number,
    private readonly method: "GET" | "HEAD",
    /** JSON is read, too: it is what was asked for. */
    private readonly takesJson = false,
  ) {
    this.answer = new Promise((resolve) => (this.resolve = resolve));
  }

  /** "head" when that of the answer itself is complete, not only that of one before it. */
  get received(): Received {
    if (this.response !== undefined) return "head";
    return this.firstByte === undefined ? "nothing" : "some";
  }

  get progress(): RequestStage {
    if (this.response !== undefined) return { stage: "body", bytes: this.into.length };
    if (this.firstByte !== undefined) return { stage: "headers" };
    if (this.requestSent !== undefined) return { stage: "waiting" };
    return { stage: this.isResolving ? "resolving" : "connecting" };
  }

  /** Ends the request from outside; does nothing when it has ended. */
  settle(answer: ExchangeResult): void {
    if (this.settled) return;
    this.settled = true;
    this.completed = this.time.now();
    this.idleAtEnd = this.time.idleMs();
    this.resolve(answer);
    if (answer.kind !== "response" && answer.kind !== "error") this.controller?.abort(new Error(answer.kind));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.settled) {
      controller.abort(new Error("the request was given up"));
      return;
    }
    this.controller = controller;
    this.requestSent = this.time.now();
    this.idleAtSent = this.time.idleMs();
    this.onSent();
  }

  onResponseStarted(): void {
    this.firstByte ??= this.time.now();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: { readonly [name: string]: string | string[] | undefined },
  ): void {
    this.firstByte ??= this.time.now();
    if (status < 200) return;
    const header = (name: string) => {
      const value = headers[name];
      return Array.isArray(value) ? value[0] : value;
    };
    const contentType = header("content-type") ?? "";
    // A transfer coding may compress, too: the innermost comes first (RFC 9112, 6.1).
    const contentEncoding = [header("content-encoding"), header("transfer-encoding")]
      .flatMap((value) => (value ?? "").split(","))
      .map((coding) => coding.trim())
      .filter((coding) => !/^(identity|chunked)?$/i.test(coding))
      .join(", ");
    this.success = status < 300;
    this.response = {
      kind: "response",
      status,
      contentType,
      contentEncoding,
      location: header("location"),
      counted: header("content-length") !== undefined,
      delimited: header("content-length") !== undefined || header("transfer-encoding") !== undefined,
    };
    if (!this.success || this.method === "HEAD") return;
    if (isJsonContentType(contentType) && !this.takesJson) this.settle({ kind: "json", contentType });
    else if (Number(header("content-length") ?? 0) > this.limitBytes) this.settle({ kind: "too-large" });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.settled) return;
    if (this.success) {
      if (this.into.length + chunk.length > this.limitBytes) this.settle({ kind: "too-large" });
      else this.into.append(chunk);
      return;
    }
    this.into.append(chunk.subarray(0, ERROR_BODY_BYTES));
    if (this.into.length < ERROR_BODY_BYTES || this.response === undefined) return;
    this.settle(this.response);
    controller.abort(new Error("enough of the error page was read"));
  }

  onResponseEnd(): void {
    if (this.response !== undefined) this.settle(this.response);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    // An error's status says what is wrong, however its page ends; HTTP 304 states the length of a body it leaves out,
    // and some servers do so with HTTP 204, which never has one.
    const { response } = this;
    const complete = response !== undefined && (!this.success || response.status === NO_CONTENT);
    this.settle(complete ? response : { kind: "error", error });
  }
}

const MAX_REDIRECTS = 5;
const STATUSES: readonly number[] = [301, 302, 303, 307, 308];

/** Why a redirect is not followed. */
interface EndedRedirect {
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

/**
 * Where all connections of this thread receive what arrives. Sockets would allocate 64 KiB for each piece, and memory
 * outside its heap makes V8 look through all of the heap: with 200 endpoints three times a second every 0.8 s, which
 * took 40 % of the capture's processor time.
 */
const SHARED = new Uint8Array(64 * 1024);
/** Whose piece lies in it. */
let owner: Socket | undefined;

const HEAD_END = "\r\n\r\n";
/** Where the status begins in "HTTP/1.1 200 OK". */
const STATUS_AT = 9;
const DIGIT_2 = 0x32;

/**
 * Connects over plain TCP, and reads into the memory that all connections share. The client parses a piece before the
 * next one of any connection is read, and an `Exchange` copies what it keeps. Only of heads does the client keep the
 * pieces themselves, until they are complete: a piece that a head may not end in is copied.
 * @param received what there is of the answer under way
 * @param lookup of the server's name
 */
export function sharedReads(received: () => Received, lookup: LookupFunction): buildConnector.connector {
  return (options, callback) => {
    let socket: Socket | undefined;
    const connect = buildConnector({
      timeout: 0,
      lookup,
      // That of `options` counts.
      port: 0,
      onread: {
        buffer: SHARED,
        callback: (length) => {
          // An error rather than an answer with bytes of another.
          if (owner !== undefined && owner.readableLength > 0)
            owner.destroy(new Error("what was received before has not been read"));
          owner = socket;
          const piece = Buffer.from(SHARED.buffer, 0, length);
          const known = received();
          socket?.push(known === "head" || (known === "nothing" && endsHead(piece)) ? piece : Buffer.from(piece));
          return true;
        },
      },
    });
    connect(options, (...result) => {
      socket = result[1] ?? undefined;
      callback(...result);
    });
  };
}

/** Of the answer under way: its own head, or some of it, such as an interim answer. */
type Received = "nothing" | "some" | "head";

/** Whether a piece, the first of its answer, begins with a whole head of a success, which no other head can follow. */
function endsHead(piece: Buffer): boolean {
  return piece[STATUS_AT] === DIGIT_2 && piece.includes(HEAD_END);
}
