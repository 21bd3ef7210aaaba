import { effect, signal, type ReadonlySignal } from "@preact/signals";
import type { HostApi } from "../channel.js";
import { DEFAULT_LAYOUT, parseLayout, type ComparisonLayout } from "./layout.js";
import type { ComparisonClient } from "./store.js";

export interface ComparisonLayoutStore {
  readonly layout: ReadonlySignal<ComparisonLayout>;
  change(changes: Partial<ComparisonLayout>): void;
  dispose(): void;
}

/** How long changes gather before they are saved. */
const SAVE_DELAY_MS = 500;

/** The webview's own memory first (it is there at once), then the host's, then the default. */
export function createComparisonLayout(client: ComparisonClient, api: HostApi): ComparisonLayoutStore {
  const own = parseLayout(api.getState());
  const layout = signal<ComparisonLayout>(own ?? DEFAULT_LAYOUT);
  let saved = JSON.stringify(layout.peek());
  let touched = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  if (own === undefined) {
    client.call("loadComparisonLayout", {}).then(
      (text) => {
        const found = parseLayout(parseJson(text));
        // What the user did meanwhile counts more than what was saved.
        if (found === undefined || touched) return;
        saved = JSON.stringify(found);
        layout.value = found;
      },
      // Without it the default is shown: nothing is lost.
      () => undefined,
    );
  }

  const stop = effect(() => {
    const current = layout.value;
    const text = JSON.stringify(current);
    if (text === saved) return;
    api.setState(current);
    clearTimeout(timer);
    timer = setTimeout(() => {
      saved = text;
      // The webview keeps its own copy when the host cannot save.
      client.call("saveComparisonLayout", { layout: text }).catch(() => undefined);
    }, SAVE_DELAY_MS);
  });
  return {
    layout,
    change(changes) {
      touched = true;
      layout.value = { ...layout.peek(), ...changes };
    },
    dispose() {
      clearTimeout(timer);
      stop();
    },
  };
}

function parseJson(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
