import {
  ChannelServer,
  packNumbers,
  VIEW_GUARDS,
  type Handlers,
  type HostEvents,
  type HostRequests,
  type Message,
  type Port,
  type ViewEvents,
  type ViewRequests,
} from "../../protocol/index.js";
import type { RunSource } from "./source.js";

/** The part of a webview that the bridge uses. */
export interface MessageTarget {
  postMessage(message: unknown): Thenable<boolean>;
  onDidReceiveMessage(listener: (message: Message) => void): { dispose(): void };
}

/** The host's end of the pipe to a page. */
export function webviewPort(webview: MessageTarget): Port {
  return {
    post: (message) => void webview.postMessage(packNumbers(message)),
    listen(listener) {
      const subscription = webview.onDidReceiveMessage(listener);
      return () => subscription.dispose();
    },
  };
}

/**
 * Answers one page's requests: those on the run from its source, the rest from the host. What the host has to say
 * before the page has asked for its first snapshot waits for that, since the page could do nothing with it.
 */
export class ViewBridge {
  private readonly server: ChannelServer<ViewRequests, ViewEvents>;
  private readonly unsubscribe: () => void;
  private waiting: (() => void)[] | undefined = [];

  constructor(port: Port, source: RunSource, host: Handlers<HostRequests>) {
    this.server = new ChannelServer<ViewRequests, ViewEvents>(
      port,
      {
        ...source.requests,
        ...host,
        snapshot: async (params, signal, report) => {
          const snapshot = await source.requests.snapshot(params, signal, report);
          // After the answer has been posted, which follows in a microtask.
          setImmediate(() => this.release());
          return snapshot;
        },
      },
      VIEW_GUARDS,
    );
    this.unsubscribe = source.subscribe({
      progress: (payload) => this.server.emit("progress", payload),
      families: (payload) => this.server.emit("families", payload),
    });
  }

  send<K extends keyof HostEvents>(name: K, payload: ViewEvents[K]): void {
    const emit = () => this.server.emit(name, payload);
    if (this.waiting === undefined) emit();
    else this.waiting.push(emit);
  }

  dispose(): void {
    this.unsubscribe();
    this.server.dispose();
    this.waiting = [];
  }

  private release(): void {
    const ready = this.waiting;
    this.waiting = undefined;
    for (const emit of ready ?? []) emit();
  }
}
