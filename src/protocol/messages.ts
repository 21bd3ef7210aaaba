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
