import { fieldsOf } from "../src/core/text/index.js";
import { oneOf, type Guard } from "../src/protocol/guards.js";
import {
  unpackNumbers,
  type ChannelClient,
  type Message,
  type Port,
  type ViewEvents,
  type ViewRequests,
} from "../src/protocol/index.js";

export type ViewClient = ChannelClient<ViewRequests, ViewEvents>;

/** What VS Code hands a webview; the harness hands a stand-in. */
export interface HostApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

const isKind: Guard<Message["kind"]> = oneOf("request", "response", "progress", "event", "cancel");

/** Other things arrive on `window` too (extensions of the browser, the workbench itself): they are not ours. */
function isMessage(data: unknown): data is Message {
  return isKind(fieldsOf(data)["kind"]);
}

/** The pipe to the extension host: `postMessage` out, `message` events of the window in. */
export function webviewPort(api: Pick<HostApi, "postMessage">): Port {
  return {
    post: (message) => api.postMessage(message),
    listen: (listener) => {
      const onMessage = (event: MessageEvent<unknown>) => {
        const message = unpackNumbers(event.data);
        if (isMessage(message)) listener(message);
      };
      window.addEventListener("message", onMessage);
      return () => window.removeEventListener("message", onMessage);
    },
  };
}
