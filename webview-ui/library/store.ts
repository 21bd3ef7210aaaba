import { signal, type ReadonlySignal } from "@preact/signals";
import { ChannelClient } from "../../src/protocol/index.js";
import {
  SWEEP_PLOT,
  type LibraryChoice,
  type LibraryEvents,
  type LibraryHostEvents,
  type LibraryLayout,
  type LibraryPageState,
  type LibraryPlot,
  type LibraryViewRequests,
  type RunningCapture,
  type ShownRuns,
} from "../../src/protocol/library.js";
import { webviewPort, type HostApi } from "../channel.js";
import { liveQuery, type LiveQuery } from "../state/live-query.js";

/** How long changes gather before they are saved. */
const SAVE_DELAY_MS = 500;

export interface LibraryStore {
  readonly client: ChannelClient<LibraryViewRequests, LibraryEvents & LibraryHostEvents>;
  readonly runs: LiveQuery<ShownRuns>;
  /** Rises with each answer of `runs`. */
  readonly answers: ReadonlySignal<number>;
  readonly layout: ReadonlySignal<LibraryLayout>;
  readonly capturing: ReadonlySignal<RunningCapture | null>;
  /** Undefined takes a part of the choice back to its default. */
  readonly choose: (change: { readonly [K in keyof LibraryChoice]: LibraryChoice[K] | undefined }) => void;
  readonly setWidths: (widths: LibraryLayout["widths"]) => void;
  /** Undefined closes it. */
  readonly setPlot: (plot: LibraryPlot | undefined) => void;
}

/** What a page of runs shows. It begins with what it was left with in this workspace. */
export function createLibraryStore(api: HostApi): LibraryStore {
  const client: LibraryStore["client"] = new ChannelClient(webviewPort(api));
  const layout = signal<LibraryLayout>({ choice: {}, widths: {} });
  const tick = signal(0);
  const visible = signal(false);
  const ask = () => tick.value++;
  const runs = liveQuery(
    async (abort) => {
      const answer = await client.call("libraryRuns", layout.peek().choice, abort);
      const remembered: LibraryPageState = { folder: answer.folder };
      api.setState(remembered);
      return answer;
    },
    { tick, visible },
  );
  const answers = signal(0);
  runs.latest.subscribe(() => (answers.value = answers.peek() + 1));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const keep = (next: LibraryLayout) => {
    layout.value = next;
    clearTimeout(timer);
    // Without it the next page begins with the default: nothing is lost.
    timer = setTimeout(() => void client.call("saveLibraryLayout", next).catch(() => undefined), SAVE_DELAY_MS);
  };
  client
    .call("loadLibraryLayout", {})
    .then((known) => {
      if (known !== null) layout.value = known;
    })
    .catch(() => undefined)
    .finally(() => (visible.value = true));
  client.on("libraryChanged", ask);
  const capturing = signal<RunningCapture | null>(null);
  client.on("capturing", (capture) => (capturing.value = capture));
  client.call("capturing", {}).then(
    (capture) => (capturing.value = capture),
    () => undefined,
  );
  const setPlot = (plot: LibraryPlot | undefined) => {
    const { plot: _, ...others } = layout.peek();
    keep({ ...others, ...(plot === undefined ? {} : { plot }) });
  };
  client.on("sweepAsked", () => setPlot({ ...(layout.peek().plot ?? SWEEP_PLOT), kind: "sweep" }));
  return {
    client,
    runs,
    answers,
    layout,
    capturing,
    choose(change) {
      const before = layout.peek();
      const parts = Object.entries({ ...before.choice, ...change }).filter(([, value]) => value !== undefined);
      keep({ ...before, choice: Object.fromEntries(parts) });
      ask();
    },
    setPlot,
    setWidths: (widths) => keep({ ...layout.peek(), widths }),
  };
}
