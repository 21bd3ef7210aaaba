import { t } from "@vscode/l10n";
import { formatValue } from "../../src/core/catalog/display.js";
import { NS_PER_SECOND, type Labels } from "../../src/core/model/index.js";
import { plural } from "../../src/core/text/plural.js";
import type { ChartLine, SeriesChange } from "../../src/protocol/index.js";
import { formatRelative } from "../format/time.js";
import { useFold } from "../state/context.js";
import type { Viewport } from "../state/run-store.js";
import { within, type ChangeMark, type DrawnLine, type ChartMark, type ChartModel, type EventTick } from "./drawing.js";
import { usePageTime } from "./viewport.js";

interface ChangedLine {
  readonly line: Pick<ChartLine, "endpointUrl" | "labels" | "quantity">;
  readonly drawn: Pick<DrawnLine, "name" | "color" | "points" | "hidden">;
}

/** Changes of a histogram are those of its average. */
const CHANGING: readonly ChartLine["quantity"][] = ["value", "rate", "avg"];

/** The marks of the lines that are shown, in order of time. @param profilingStart offset, nanoseconds */
export function changeMarks(
  changes: readonly SeriesChange[],
  lines: readonly ChangedLine[],
  profilingStart: number,
  unit: string | undefined,
): readonly ChangeMark[] {
  const nameOf = ({ endpointUrl, labels }: { readonly endpointUrl: string; readonly labels: Labels }) =>
    JSON.stringify([endpointUrl, labels]);
  const bySeries = new Map(
    lines
      .filter(({ line, drawn }) => CHANGING.includes(line.quantity) && !drawn.hidden)
      .map(({ line, drawn }) => [nameOf(line), drawn]),
  );
  const seconds = (offset: number) => (offset - profilingStart) / NS_PER_SECOND;
  return changes
    .flatMap((change): ChangeMark[] => {
      const drawn = bySeries.get(nameOf(change));
      if (drawn === undefined) return [];
      const { color, points } = drawn;
      const whose = lines.length > 1 ? `${drawn.name}: ` : "";
      const from = seconds(change.start);
      if (change.kind === "level-change") {
        const { before, after } = change;
        const text = t`${whose}from ${formatValue(before, unit)} to ${formatValue(after, unit)} at ${formatRelative(from)}`;
        return [{ kind: change.kind, color, from, to: from, rises: after > before, text }];
      }
      const { value, usual } = change;
      const to = seconds(change.end);
      const inside = points.filter(({ x }) => x >= from && x <= to);
      // No line is drawn there, as where a series restarted.
      if (inside.length > 0 && inside.every(({ y }) => Number.isNaN(y))) return [];
      const text = t`${whose}${formatValue(value, unit)} at ${formatRelative(from)}, ${formatValue(usual, unit)} around it`;
      return [{ kind: change.kind, color, from, to, rises: value > usual, text }];
    })
    .sort((a, b) => a.from - b.from);
}

/** "Level change: from 12 to 30 requests at 1:10". */
export function changeText({ kind, text }: ChangeMark): string {
  return `${kind === "level-change" ? t("Level change") : t("Outlier")}: ${text}`;
}

/** Those at a time, within what a pointer can tell apart. */
export function marksAt(marks: readonly ChangeMark[], seconds: number, axis: Viewport): readonly ChangeMark[] {
  const reach = (axis.to - axis.from) / 100;
  return marks.filter(({ from, to }) => seconds >= from - reach && seconds <= to + reach);
}

interface ChangeListProps {
  readonly marks: readonly ChangeMark[];
  readonly whole: Viewport;
  readonly family: string;
  readonly title: string;
}

/** Of the run, on either side of a change that is shown. */
const AROUND = 0.08;

/** What the marks in a chart say, in words: a line with their number, and the list when it is opened. */
export function ChangeList({ marks, whole, family, title }: ChangeListProps) {
  const { viewport } = usePageTime();
  const fold = useFold(`changes ${family}`, false);
  if (marks.length === 0) return null;
  const levels = marks.filter(({ kind }) => kind === "level-change").length;
  const outliers = marks.length - levels;
  const show = ({ from, to }: ChangeMark) => {
    const room = AROUND * (whole.to - whole.from);
    viewport.value = { from: Math.max(whole.from, from - room), to: Math.min(whole.to, to + room) };
  };
  return (
    <details class="fold changes" {...fold} aria-label={t`Marked in the chart of ${title}`}>
      <summary class="muted">
        {levels > 0 && (
          <span class="change-count">
            <Glyph kind="level-change" rises={true} /> {plural(levels, t("level change"), t("level changes"))}
          </span>
        )}
        {outliers > 0 && (
          <span class="change-count">
            <Glyph kind="outlier" rises={true} /> {plural(outliers, t("outlier"), t("outliers"))}
          </span>
        )}
      </summary>
      <ul class="note-list">
        {marks.map((mark) => (
          <li key={mark.text}>
            <Glyph kind={mark.kind} rises={mark.rises} />{" "}
            <button type="button" class="link" title={t("Zoom to it")} onClick={() => show(mark)}>
              {changeText(mark)}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** As it stands beneath the chart's axis. */
function Glyph({ kind, rises }: Pick<ChangeMark, "kind" | "rises">) {
  const triangle = rises ? "M5 1 L9 9 L1 9 Z" : "M5 9 L9 1 L1 1 Z";
  return (
    <svg class="change-glyph" width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
      <path d={kind === "level-change" ? triangle : "M5 1 L9 5 L5 9 L1 5 Z"} fill="currentColor" />
    </svg>
  );
}

const KINDS = ["request", "kv-cache"] as const;
/** As far from the time pointed at as this share of the axis, an event is named. */
const NEAR = 0.01;
const MAX_TOLD = 3;

/** The kinds of events that the axis shows, and how many of each. */
export function eventCounts({ events = [], axis }: Pick<ChartModel, "events" | "axis">) {
  const shown = within(events, axis);
  return KINDS.map((kind) => ({
    kind,
    count: shown.reduce((sum, event) => (event.kind === kind ? sum + event.count : sum), 0),
  })).filter(({ count }) => count > 0);
}

/** What is said of the events at the time pointed at: the nearest ones. */
export function eventsNear(
  { events = [], axis }: Pick<ChartModel, "events" | "axis">,
  seconds: number,
): readonly string[] {
  const reach = (axis.to - axis.from) * NEAR;
  const distance = ({ time }: ChartMark) => Math.abs(time - seconds);
  const near = events.filter((event) => distance(event) <= reach).sort((a, b) => distance(a) - distance(b));
  const more = near.length - MAX_TOLD;
  return [
    ...near.slice(0, MAX_TOLD).map(({ label }) => label),
    ...(more > 0 ? [t`and ${plural(more, t("more event"), t("more events"))}`] : []),
  ];
}

const NAMES: { readonly [Kind in EventTick["kind"]]: readonly [one: string, many: string] } = {
  request: [t("request finished"), t("requests finished")],
  "kv-cache": [t("KV-cache event"), t("KV-cache events")],
};

/** What the ticks on the time axis stand for; nothing where the axis shows none. */
export function EventLegend({ model }: { readonly model: Pick<ChartModel, "events" | "axis"> }) {
  const counts = eventCounts(model);
  if (counts.length === 0) return null;
  return (
    <p
      class="event-legend muted"
      title={t("Ticks on the time axis. Point at one to read it; the tab Details lists all of them.")}
    >
      {t("Server events:")}
      {counts.map(({ kind, count }) => (
        <span key={kind} class="event-count">
          <TickGlyph kind={kind} /> {plural(count, ...NAMES[kind])}
        </span>
      ))}
    </p>
  );
}

/** As it stands in the chart. */
function TickGlyph({ kind }: Pick<EventTick, "kind">) {
  return (
    <svg class="event-glyph" width="6" height="11" viewBox="0 0 6 11" aria-hidden="true">
      <path d="M0 10.5 H6 M3 10.5 V3" fill="none" stroke="currentColor" />
      {kind === "kv-cache" && <rect x="1" y="1" width="4" height="4" fill="currentColor" />}
    </svg>
  );
}
