import { packNumbers, type Message, type Port } from "../../../src/protocol/index.js";
import { THEMES, type ThemeName } from "./themes.js";

/** What stands for VS Code on the page: its theme, its pipe and its memory. */
export interface HarnessPage {
  readonly query: URLSearchParams;
  /** The host's end of the pipe. */
  readonly port: Port;
}

declare global {
  interface Window {
    /** As the user changes it while the page is open. */
    setTheme: (name: ThemeName) => void;
    /** All that the host has sent, as JSON. */
    sent: string[];
  }
}

/** Sets up the page: ?theme= a name of THEMES; the view's state is remembered under `stateKey` for the browser tab. */
export function setUpPage(stateKey: string): HarnessPage {
  const query = new URLSearchParams(location.search);
  const listeners = new Set<(message: Message) => void>();
  const api = {
    postMessage: (message: Message) => {
      const copy = carried(message) as Message;
      queueMicrotask(() => listeners.forEach((listener) => listener(copy)));
    },
    getState: (): unknown => JSON.parse(sessionStorage.getItem(stateKey) ?? "null"),
    setState: (state: unknown) => sessionStorage.setItem(stateKey, JSON.stringify(state)),
  };
  // What VS Code defines on the page; its declared type is generic over the state.
  Object.assign(window, { acquireVsCodeApi: () => api });
  const wanted = query.get("theme");
  window.setTheme = setTheme;
  window.sent = [];
  setTheme(wanted !== null && isThemeName(wanted) ? wanted : "dark");
  return {
    query,
    port: {
      post: (message) => {
        // VS Code carries JSON and typed arrays alone: a bigint throws here as it does there.
        window.sent.push(JSON.stringify(message, (_, value: unknown) => (ArrayBuffer.isView(value) ? null : value)));
        window.postMessage(carried(packNumbers(message)), "*");
      },
      listen: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  };
}

/**
 * A message as it arrives: JSON drops undefined as a member, and has null for it in lists, for NaN and the infinities.
 */
function carried(value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) return null;
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return value.map((item) => carried(item) ?? null);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, carried(member)]));
}

function isThemeName(name: string): name is ThemeName {
  return name in THEMES;
}

function setTheme(name: ThemeName): void {
  const theme = THEMES[name];
  document.documentElement.removeAttribute("style");
  for (const [key, value] of Object.entries(theme.variables))
    document.documentElement.style.setProperty(`--vscode-${key}`, value);
  document.body.className = theme.bodyClass;
}
