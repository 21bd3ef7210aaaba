import type { DemoProfile } from "../../demo/index.js";

/** What the extension host asks of the worker thread that runs the demo server. */
export interface DemoRequests {
  /** Port 0 takes any free one. Rejects when the port is taken. */
  start: {
    params: { readonly port: number; readonly profile: DemoProfile; readonly seed: number };
    result: { readonly url: string };
  };
  /** Writes the run that "Open Demo Run" shows. */
  record: { params: { readonly file: string }; result: null };
}

/** The demo server reports nothing by itself. */
export type DemoEvents = Record<string, never>;
