import { effect, signal, type ReadonlySignal } from "@preact/signals";
import { fieldsOf } from "../../src/core/text/index.js";
import type { ComparisonPageState, RunId } from "../../src/protocol/comparison.js";
import type { HostApi } from "../channel.js";
import { DEFAULT_LAYOUT, parseLayout, type ComparisonLayout } from "./layout.js";
import type { ComparisonStore } from "./store.js";

export interface ComparisonLayoutStore {
  readonly layout: ReadonlySignal<ComparisonLayout>;
  change(changes: Partial<ComparisonLayout>): void;
}

/** How long changes gather before they are saved. */
const SAVE_DELAY_MS = 500;

interface PageState extends ComparisonPageState {
  readonly layout: ComparisonLayout;
  readonly colors: Readonly<Record<RunId, number>>;
}

/** What `makeRunColors` begins with when the page is made anew. */
export function rememberedColors(api: Pick<HostApi, "getState">): unknown {
  return fieldsOf(api.getState())["colors"];
}

/**
 * The webview's own memory first (it is there at once), then the host's, then the default. Keeps what is compared
 * there, too.
 */
export function createComparisonLayout(
  { client, state, colors }: Pick<ComparisonStore, "client" | "state" | "colors">,
  api: HostApi,
): ComparisonLayoutStore {
  const own = parseLayout(fieldsOf(api.getState())["layout"]);
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
        // A comparison that is opened begins with what differs; one that is only drawn anew stays where it was.
        layout.value = { ...found, tab: DEFAULT_LAYOUT.tab };
      },
      // Without it the default is shown: nothing is lost.
      () => undefined,
    );
  }

  effect(() => {
    const runs = state.value?.runs;
    if (runs === undefined) return;
    const kept: PageState = { sources: runs.map(({ source }) => source), layout: layout.value, colors: colors.kept() };
    api.setState(kept);
  });
  effect(() => {
    const text = JSON.stringify(layout.value);
    if (text === saved) return;
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
