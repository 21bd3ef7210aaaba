/* What a web worker has beside Node's types: as much of it as is used here. */
declare class BrowserWorker {
  constructor(url: string, options: { readonly name: string });
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onerror: ((event: { readonly message?: string }) => void) | null;
  postMessage(message: unknown, transfer: readonly ArrayBuffer[]): void;
  terminate(): void;
}

/** The worker that this runs in. */
declare const self: {
  readonly name: string;
  readonly Worker: typeof BrowserWorker;
  readonly SharedArrayBuffer?: SharedArrayBufferConstructor;
  readonly MessageChannel: new () => {
    readonly port1: { onmessage: (() => void) | null };
    readonly port2: { postMessage(message: unknown): void };
  };
  /** Put before the worker's bundle by who starts it. */
  readonly environment?: Record<string, string | undefined>;
  postMessage(message: unknown, transfer: readonly ArrayBuffer[]): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  removeEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
};
