import { UserError } from "../../core/text/errors.js";
import {
  ChannelServer,
  packNumbers,
  VIEW_GUARDS,
  type ChannelClient,
  type RunEvents,
  type RunRequests,
  type Handlers,
  type HostEvents,
  type HostRequests,
  type Message,
  type Port,
  type Relay,
  type ViewEvents,
  type ViewRequests,
} from "../../protocol/index.js";

/**
 * Whatever answers for the run a view shows: an engine with a capture or a rebuilt run, or an opened file. Typed arrays
 * pass through as they are.
 */
export type RunSource = Pick<ChannelClient<RunRequests, RunEvents>, "call" | "on">;

/** A run that is no more: every request is refused with the reason. */
export function endedSource(message: string, remedy: string): RunSource {
  return {
    call: () => Promise.reject(new UserError(message, remedy, { code: "run-gone" })),
    on: () => () => {},
  };
}

/** The part of a webview that the bridge uses. */
interface MessageTarget {
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

/** What the host answers itself. */
export type PageHost = Handlers<HostRequests & Pick<RunRequests, "findings">>;
type Relayed = Exclude<keyof RunRequests, "findings">;

/**
 * Answers one page's requests: those on the run from its source, the rest from the host. What the host has to say
 * before the page has asked what the run is waits for that, since the page could do nothing with it.
 */
export class ViewBridge {
  private readonly server: ChannelServer<ViewRequests, ViewEvents, Relayed>;
  private readonly ends: readonly (() => void)[];
  private waiting: (() => void)[] | undefined = [];

  constructor(port: Port, source: RunSource, host: PageHost) {
    const run: Relay = { ask: source.call.bind(source) };
    this.server = new ChannelServer<ViewRequests, ViewEvents, Relayed>(port, host, VIEW_GUARDS, {
      ask: async (name, params, signal, report) => {
        const answer = await run.ask(name, params, signal, report);
        // After the answer has been posted, which follows in a microtask.
        if (name === "describe") setImmediate(() => this.release());
        return answer;
      },
    });
    this.ends = [
      source.on("progress", (payload) => this.server.emit("progress", payload)),
      source.on("families", (payload) => this.server.emit("families", payload)),
    ];
  }

  send<K extends keyof HostEvents>(name: K, payload: ViewEvents[K]): void {
    const emit = () => this.server.emit(name, payload);
    if (this.waiting === undefined) emit();
    else this.waiting.push(emit);
  }

  dispose(): void {
    for (const end of this.ends) end();
    this.server.dispose();
    this.waiting = [];
  }

  private release(): void {
    const ready = this.waiting;
    this.waiting = undefined;
    for (const emit of ready ?? []) emit();
  }
}
