import { computed, effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { NS_PER_SECOND } from "../../src/core/model/index.js";
import type {
  ChartData,
  ChartQuery,
  FamilySummary,
  RunHeader,
  RunDescription,
  SeriesQuery,
  Tile,
  Problem,
} from "../../src/protocol/index.js";
import type { ViewClient } from "../channel.js";
import { makeColorBook, type ColorBook } from "./color-book.js";
import { liveQuery, type LiveQuery, type Pace } from "./live-query.js";
import { t } from "@vscode/l10n";

/** Part of the time axis that all charts show, in seconds from the start of profiling; undefined: the whole run. */
export interface Viewport {
  readonly from: number;
  readonly to: number;
}

/** The endpoints that a view shows alone: one, or those of one kind of server. */
export interface Narrowing {
  /** The endpoint's URL, or the name of the kind. */
  readonly to: string;
  readonly urls: readonly string[];
}

/** For a question about a family's series. */
export function ofEndpoints(only: Narrowing | undefined): Pick<SeriesQuery, "endpoints"> {
  return only === undefined ? {} : { endpoints: only.urls };
}

/** For a question that can be about one endpoint. */
export function oneEndpoint(only: Narrowing | undefined): { readonly endpointUrl?: string } {
  const [endpointUrl] = only?.urls ?? [];
  return endpointUrl === undefined || only?.urls.length !== 1 ? {} : { endpointUrl };
}

/** What the view knows of its run. Everything heavy stays with the engine. */
export interface RunStore {
  readonly client: ViewClient;
  readonly description: LiveQuery<RunDescription>;
  readonly header: ReadonlySignal<RunHeader | undefined>;
  readonly families: ReadonlySignal<readonly FamilySummary[]>;
  readonly familyByName: ReadonlySignal<ReadonlyMap<string, FamilySummary>>;
  readonly tiles: ReadonlySignal<readonly Tile[]>;
  readonly viewport: Signal<Viewport | undefined>;
  /**
   * Whether the time axis goes on with a run that does: the whole of it does, and a stretch that was chosen up to its
   * end. Set by whoever holds or resumes it.
   */
  readonly follows: Signal<boolean>;
  /** What the whole view is narrowed to; undefined: all endpoints. */
  readonly only: Signal<Narrowing | undefined>;
  /** The time that is pointed at in any chart, seconds from the start of profiling: all charts show it. */
  readonly pointed: Signal<number | undefined>;
  readonly colors: ColorBook;
  /**
   * Pace of a chart or a table: follows the run's progress while the view is visible, and the thing itself in sight.
   */
  pace(minIntervalMs: number | (() => number), inSight?: ReadonlySignal<boolean>): Pace;
  /** Data of a chart: the answer to what was asked ahead, when it is the same question. */
  chart(query: ChartQuery, abort: AbortSignal): Promise<ChartData>;
}

/** What all statistics rest on: when it changes, everything shown is out of date at once. */
function basisOf(header: RunHeader | undefined): string {
  return JSON.stringify([header?.sliceDurationSeconds, header?.window, header?.profilingStart, header?.load?.rule]);
}

/** Of the stretch shown: as near to the end of the run, it reaches it. */
const AT_END = 0.03;

/** What statistics run over. */
export function windowOf({ window, profilingStart, profilingEnd, now }: RunHeader) {
  return { from: window?.start ?? profilingStart, to: window?.end ?? profilingEnd ?? now };
}

/** The run has more to come. */
export function isLive({ state }: Pick<RunHeader, "state">): boolean {
  return state === "capturing" || state === "following";
}

/** Seconds from the start of profiling. */
function endOf({ now, profilingStart }: RunHeader): number {
  return (now - profilingStart) / NS_PER_SECOND;
}

function reachesEnd({ from, to }: Viewport, run: RunHeader): boolean {
  return to >= endOf(run) - AT_END * (to - from);
}

/** The stretch moved to end there. */
function endingAt({ from, to }: Viewport, end: number): Viewport {
  return { from: end - (to - from), to: end };
}

/** What a view remembers of its last life. */
export interface Remembered {
  /** The series' places in the palette. */
  readonly colors: readonly string[];
  /** What its charts will ask first: asked at once, beside the description that they wait for. */
  readonly queries: readonly ChartQuery[];
}

/** Hears the run's progress and asks for its description. */
export function createRunStore(client: ViewClient, remembered: Remembered = { colors: [], queries: [] }): RunStore {
  const tick = signal(0);
  const renewal = signal(0);
  const visible = signal(document.visibilityState !== "hidden");
  const header = signal<RunHeader | undefined>(undefined);
  const tiles = signal<readonly Tile[]>([]);
  const families = signal<readonly FamilySummary[]>([]);
  const viewport = signal<Viewport | undefined>(undefined);
  const follows = signal(true);
  let ownMove = false;
  const move = (next: Viewport) => {
    ownMove = true;
    viewport.value = next;
    ownMove = false;
  };
  viewport.subscribe((stretch) => {
    const run = header.peek();
    if (!ownMove && run !== undefined) follows.value = stretch === undefined || reachesEnd(stretch, run);
  });
  follows.subscribe((on) => {
    const [stretch, run] = [viewport.peek(), header.peek()];
    if (on && stretch !== undefined && run !== undefined && isLive(run)) move(endingAt(stretch, endOf(run)));
  });

  // The description is asked for once; after that the engine pushes what changed.
  const description = liveQuery((abort) => client.call("describe", {}, abort));
  const ahead = prefetch(client, remembered.queries);
  effect(() => {
    const state = description.state.value;
    if (state.kind !== "ready") return;
    header.value = state.value.header;
    tiles.value = state.value.tiles;
    families.value = state.value.families;
  });

  client.on("progress", (progress) => {
    // Without its families a run cannot be shown: the description, which is under way, brings both.
    if (header.peek() === undefined && description.state.peek().kind === "loading") return;
    const before = header.peek();
    if (before !== undefined && basisOf(before) !== basisOf(progress.header)) renewal.value++;
    const moved = before === undefined ? 0 : (progress.header.profilingStart - before.profilingStart) / NS_PER_SECOND;
    const stretch = viewport.peek();
    // The charts' times count from the start of profiling: the same stretch has other numbers now.
    if (moved !== 0 && stretch !== undefined) move({ from: stretch.from - moved, to: stretch.to - moved });
    header.value = progress.header;
    const kept = viewport.peek();
    if (kept !== undefined && follows.peek() && isLive(progress.header)) move(endingAt(kept, endOf(progress.header)));
    tiles.value = progress.tiles;
    tick.value++;
    // A run that goes on can be asked again for what its first answer should have brought.
    if (description.state.peek().kind === "failed") description.retry();
  });
  client.on("families", (appeared) => {
    // Before the description they would be shown without their tiles.
    if (header.peek() === undefined && description.state.peek().kind === "loading") return;
    families.value = appeared.families;
  });

  document.addEventListener("visibilitychange", () => {
    const now = document.visibilityState !== "hidden";
    // What was missed while hidden comes in one piece.
    if (now && !visible.peek()) description.retry();
    visible.value = now;
  });

  return {
    client,
    description,
    header,
    families,
    familyByName: computed(() => new Map(families.value.map((family) => [family.name, family]))),
    tiles,
    viewport,
    follows,
    only: signal<Narrowing | undefined>(undefined),
    pointed: signal<number | undefined>(undefined),
    colors: makeColorBook(remembered.colors),
    chart(query, abort) {
      const key = JSON.stringify(query);
      const asked = ahead.get(key);
      // It holds for the first question only: the run goes on.
      ahead.delete(key);
      return asked ?? client.call("chart", query, abort);
    },
    pace: (minIntervalMs, inSight) => ({
      tick,
      renewal,
      visible: inSight === undefined ? visible : computed(() => visible.value && inSight.value),
      get minIntervalMs() {
        return typeof minIntervalMs === "number" ? minIntervalMs : minIntervalMs();
      },
    }),
  };
}

function prefetch(client: ViewClient, queries: readonly ChartQuery[]): Map<string, Promise<ChartData>> {
  return new Map(
    queries.map((query) => {
      const answer = client.call("chart", query);
      // A chart that takes it says what went wrong; one that is never taken has nothing to say.
      answer.catch(() => undefined);
      return [JSON.stringify(query), answer];
    }),
  );
}

/** Why a run has no metrics to show, and what to do about it. */
export function emptyRun(header: RunHeader): Problem {
  switch (header.state) {
    case "opening":
      return { severity: "info", reason: t("The run is being opened.") };
    case "stopping":
    case "stopped":
      return {
        severity: "info",
        reason: t("This capture ended before any endpoint answered with metrics."),
        remedy: t("The endpoints' states above say what was wrong."),
      };
    case "opened":
    case "following":
      return {
        severity: "info",
        reason: t("This run holds no metrics."),
        remedy: t("Its endpoints above say whether any was ever reached."),
      };
    case "capturing":
      return {
        severity: "info",
        reason: t("No endpoint has answered with metrics yet."),
        remedy: t("Metrics appear with the first scrape that succeeds; the endpoints' states above say what is wrong."),
      };
  }
}
