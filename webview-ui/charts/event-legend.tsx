import { t } from "@vscode/l10n";
import { plural } from "../../src/core/text/plural.js";
import { eventCounts, type EventTick, type TickedModel } from "./event-ticks.js";

const NAMES: { readonly [Kind in EventTick["kind"]]: readonly [one: string, many: string] } = {
  request: [t("request finished"), t("requests finished")],
  "kv-cache": [t("KV-cache event"), t("KV-cache events")],
};

/** What the ticks on the time axis stand for; nothing where the axis shows none. */
export function EventLegend({ model }: { readonly model: Pick<TickedModel, "events" | "axis"> }) {
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
