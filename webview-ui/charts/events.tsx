import { t } from "@vscode/l10n";
import { plural } from "../../src/core/text/plural.js";
import type { ChartMark, ChartModel, EventTick } from "./drawing.js";
import { within } from "./stretches.js";

const KINDS = ["request", "kv-cache"] as const;
/** As far from the time pointed at as this share of the axis, an event is named. */
const NEAR = 0.01;
const MAX_TOLD = 3;

/** The kinds of events that the axis shows, and how many of each. */
export function eventCounts({ events, axis }: Pick<ChartModel, "events" | "axis">) {
  const shown = within(events, axis);
  return KINDS.map((kind) => ({
    kind,
    count: shown.reduce((sum, event) => (event.kind === kind ? sum + event.count : sum), 0),
  })).filter(({ count }) => count > 0);
}

/** What is said of the events at the time pointed at: the nearest ones. */
export function eventsNear({ events, axis }: Pick<ChartModel, "events" | "axis">, seconds: number): readonly string[] {
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
