import type { Dispatcher } from "undici";
import type { EpochNs } from "../../core/model/index.js";
import type { ByteBuffer } from "../../core/bytes/index.js";
import { isJsonContentType } from "../../core/exposition/index.js";
import type { RequestStage } from "../failure.js";
import type { Received } from "./shared-reads.js";
import type { Clock } from "../clock.js";

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
