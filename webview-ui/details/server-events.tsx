import { t } from "@vscode/l10n";
import { useView } from "../state/context.js";
import { formatClock, formatRelative, relativeSeconds } from "../format/time.js";
import { plural } from "../../src/core/text/plural.js";

/** What servers reported of single requests and of their KV caches; nothing where they were not asked. */
export function ServerEvents() {
  const { run } = useView();
  const header = run.header.value;
  const events = header?.events ?? [];
  if (header === undefined || events.length === 0) return null;
  const total = events.reduce((sum, { count }) => sum + count, 0);
  return (
    <section aria-labelledby="details-events">
      <h2 id="details-events">{t`Server events, ${plural(total, t("event"), t("events"))}`}</h2>
      <p class="muted">
        {total > events.length && t("Events close together share a line. ")}
        {t("Charts show them as ticks on the time axis; the JSONL has each in full.")}
      </p>
      <ol class="server-events">
        {events.map(({ kind, time, label }) => (
          <li key={`${kind} ${time}`}>
            <span class="event-time" title={formatClock(header.originMs, time)}>
              {formatRelative(relativeSeconds(time, header.profilingStart), 1)}
            </span>{" "}
            {label}
          </li>
        ))}
      </ol>
    </section>
  );
}
