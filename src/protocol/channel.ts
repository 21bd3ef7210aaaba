import { isUserError, UserError } from "../core/text/errors.js";
import { count, object, oneOf, text, type Guard } from "./guards.js";

/*
 * Envelopes of the one channel between a view and whoever answers it. The same shapes travel webview ↔ extension host
 * (postMessage, which speaks JSON plus typed arrays: no bigint, no Map) and extension host ↔ engine worker.
 */

export interface RequestMessage {
  readonly kind: "request";
  readonly id: number;
  readonly name: string;
  readonly params: unknown;
}

export type ResponseMessage =
  | { readonly kind: "response"; readonly id: number; readonly ok: true; readonly result: unknown }
  | { readonly kind: "response"; readonly id: number; readonly ok: false; readonly error: DescribedError };

/** Of a request that is still being answered. */
export interface ProgressMessage {
  readonly kind: "progress";
  readonly id: number;
  readonly progress: RequestProgress;
}

export interface EventMessage {
  readonly kind: "event";
  readonly name: string;
  readonly payload: unknown;
}

/** Asks the answering side to give a request up; its promise rejects with code "cancelled". */
export interface CancelMessage {
  readonly kind: "cancel";
  readonly id: number;
}

export type Message = RequestMessage | ResponseMessage | ProgressMessage | EventMessage | CancelMessage;

/** How far a long answer is: so many steps of so many are done. */
export interface RequestProgress {
  readonly done: number;
  readonly of: number;
  /** What the steps are, as people say it: "metrics". */
  readonly steps: string;
}

/** An error a person can act on; crosses every channel unchanged. */
export interface DescribedError {
  readonly code: string;
  /** What happened, to which endpoint, file or line. */
  readonly message: string;
  /** What to do about it. */
  readonly remedy?: string | undefined;
}

/** One end of a pipe: postMessage of a webview, of a worker, or of a test's pair. */
export interface Port {
  post(message: Message, transfer?: readonly ArrayBuffer[]): void;
  /** Registers the one listener; returns what removes it. */
  listen(listener: (message: Message) => void): () => void;
}

/** Hears how far an answer is. */
export type ProgressListener = (progress: RequestProgress) => void;

export type Handlers<R> = {
  [K in keyof R]: R[K] extends { params: infer P; result: infer T }
    ? (params: P, signal: AbortSignal, report: ProgressListener) => Answered<T> | Promise<Answered<T>>
    : never;
};

/** What has nothing to answer need not say so: it is answered with null. */
type Answered<T> = [T] extends [null] ? null | void : T;

/** Tells of each request whether what came with it can be its params. */
export type ParamGuards<R> = { readonly [K in keyof R]: R[K] extends { params: infer P } ? Guard<P> : never };

/** What a request map is made of; interfaces have no index signature that could say it. */
export type RequestsOf<R> = { readonly [K in keyof R]: { readonly params: unknown; readonly result: unknown } };

/** The error that its description tells of, as it came through a channel. */
function errorFrom({ code, message, remedy }: DescribedError): UserError {
  return new UserError(message, remedy, { code });
}

/** Words any thrown value for the other side; an unexpected one keeps its message under code "internal". */
export function describeError(error: unknown): DescribedError {
  if (isUserError(error)) return { code: error.code, message: error.message, remedy: error.remedy };
  if (error instanceof Error)
    return { code: error.name === "AbortError" ? "cancelled" : "internal", message: error.message };
  return { code: "internal", message: String(error) };
}

/** The asking side: calls `Requests`, hears `Events`. Every call settles, at the latest when the client is disposed. */
export class ChannelClient<Requests extends RequestsOf<Requests>, Events> {
  private nextId = firstId();
  private readonly pending = new Map<
    number,
    { resolve: (value: unknown) => void; reject: (error: Error) => void; onProgress: ProgressListener | undefined }
  >();
  private readonly listeners = new Map<keyof Events, Set<(payload: never) => void>>();
  private readonly unlisten: () => void;
  /** Why nothing is answered any more. */
  private end: DescribedError | undefined;

  constructor(private readonly port: Port) {
    this.unlisten = port.listen((message) => this.receive(message));
  }

  /**
   * @param onProgress called until it settles, for requests whose answer says how far it is
   * @throws UserError as described by the answering side; with code "cancelled"; with that of `dispose` from then on
   */
  call<K extends keyof Requests & string>(
    name: K,
    params: Requests[K]["params"],
    signal?: AbortSignal,
    onProgress?: ProgressListener,
  ): Promise<Requests[K]["result"]> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(new UserError(`${name} was cancelled`, undefined, { code: "cancelled" }));
        return;
      }
      if (this.end !== undefined) {
        reject(errorFrom(this.end));
        return;
      }
      const id = this.nextId++;
      const onAbort = () => {
        this.port.post({ kind: "cancel", id });
        this.settle(id)?.reject(new UserError(`${name} was cancelled`, undefined, { code: "cancelled" }));
      };
      const done = () => signal?.removeEventListener("abort", onAbort);
      this.pending.set(id, {
        resolve: (value) => {
          done();
          resolve(value);
        },
        reject: (error) => {
          done();
          reject(error);
        },
        onProgress,
      });
      signal?.addEventListener("abort", onAbort);
      this.port.post({ kind: "request", id, name, params });
    });
  }

  on<K extends keyof Events>(name: K, listener: (payload: Events[K]) => void): () => void {
    let set = this.listeners.get(name);
    if (set === undefined) this.listeners.set(name, (set = new Set()));
    set.add(listener);
    return () => set.delete(listener);
  }

  /**
   * Rejects all that waits and all that is asked later. The first reason counts.
   * @param end code "disposed" when it was meant to end
   */
  dispose(end: DescribedError = { code: "disposed", message: "the view was closed" }): void {
    if (this.end !== undefined) return;
    this.end = end;
    this.unlisten();
    const left = [...this.pending.values()];
    this.pending.clear();
    for (const waiting of left) waiting.reject(errorFrom(end));
  }

  private receive(message: Message): void {
    if (message.kind === "response") {
      const waiting = this.settle(message.id);
      if (message.ok) waiting?.resolve(message.result);
      else waiting?.reject(errorFrom(message.error));
    } else if (message.kind === "progress") {
      this.pending.get(message.id)?.onProgress?.(message.progress);
    } else if (message.kind === "event") {
      const set = this.listeners.get(message.name as keyof Events);
      for (const listener of set ?? []) listener(message.payload as never);
    }
  }

  private settle(id: number) {
    const waiting = this.pending.get(id);
    this.pending.delete(id);
    return waiting;
  }
}

/**
 * A page that is created anew (moved to another group, say) asks the host that its predecessor asked: with ids that
 * both used, one page's late answers would be taken for the other's. So each client counts from a place of its own.
 */
function firstId(): number {
  return 1 + Math.floor(Math.random() * 2 ** 32) * 2 ** 20;
}

/** Passes requests on to who answers them; their params have been checked. */
export interface Relay {
  ask(name: string, params: unknown, signal: AbortSignal, report: ProgressListener): Promise<unknown>;
}

/**
 * The answering side: one handler per request, exhaustively, but for those that are all passed on. What is not a
 * message is passed over.
 */
export class ChannelServer<Requests extends RequestsOf<Requests>, Events, Relayed extends keyof Requests = never> {
  private readonly running = new Map<number, AbortController>();
  private readonly unlisten: () => void;

  /** @param guards of an asking side that is not to be trusted: other params are answered with an error */
  constructor(
    private readonly port: Port,
    private readonly handlers: Handlers<Omit<Requests, Relayed>>,
    private readonly guards?: ParamGuards<Requests>,
    private readonly relay?: Relay,
  ) {
    this.unlisten = port.listen((message: unknown) => {
      if (isCancel(message)) this.running.get(message.id)?.abort();
      else if (isRequest(message)) void this.answer(message);
    });
  }

  emit<K extends keyof Events & string>(name: K, payload: Events[K]): void {
    this.port.post({ kind: "event", name, payload });
  }

  dispose(): void {
    this.unlisten();
    for (const controller of this.running.values()) controller.abort();
    this.running.clear();
  }

  private async answer({ id, name, params }: IncomingRequest): Promise<void> {
    // Its answer could not be distinguished from that of the one under way.
    if (this.running.has(id)) return;
    const controller = new AbortController();
    this.running.set(id, controller);
    try {
      const { handlers, guards, relay } = this;
      const isGuarded = guards !== undefined && isNameOf(name, guards);
      const relayed = isGuarded ? relay?.ask.bind(relay, name) : undefined;
      const answerer = isNameOf(name, handlers) ? (handlers[name] as Answerer) : relayed;
      if (answerer === undefined)
        throw new UserError(`no handler for request "${name}"`, undefined, { code: "unknown-request" });
      if (isGuarded && !guards[name](params))
        throw new UserError(`request "${name}" came with other params`, undefined, { code: "invalid-request" });
      const { signal } = controller;
      const result = await answerer(params, signal, (progress) => {
        if (this.running.get(id) === controller && !signal.aborted) this.port.post({ kind: "progress", id, progress });
      });
      if (!controller.signal.aborted) this.port.post({ kind: "response", id, ok: true, result: result ?? null });
    } catch (error) {
      if (!controller.signal.aborted) this.port.post({ kind: "response", id, ok: false, error: describeError(error) });
    } finally {
      this.running.delete(id);
    }
  }
}

type Answerer = (params: unknown, signal: AbortSignal, report: ProgressListener) => unknown;

function isNameOf<T extends object>(name: string, named: T): name is Extract<keyof T, string> {
  return Object.hasOwn(named, name);
}

/** Of which nothing is known yet but whose request it is. */
type IncomingRequest = Omit<RequestMessage, "params"> & { readonly params?: unknown };

const id = count(Number.MAX_SAFE_INTEGER);
const isCancel = object<CancelMessage>({ kind: oneOf("cancel"), id }, {});
const isRequest: Guard<IncomingRequest> = object<Omit<RequestMessage, "params">>(
  { kind: oneOf("request"), id, name: text },
  {},
);
