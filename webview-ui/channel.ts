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

const KINDS: { readonly [K in Message["kind"]]: true } = {
  request: true,
  response: true,
  progress: true,
  event: true,
  cancel: true,
};

/** Other things arrive on `window` too (extensions of the browser, the workbench itself): they are not ours. */
function isMessage(data: unknown): data is Message {
  return (
    typeof data === "object" &&
    data !== null &&
    "kind" in data &&
    typeof data.kind === "string" &&
    Object.hasOwn(KINDS, data.kind)
  );
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
