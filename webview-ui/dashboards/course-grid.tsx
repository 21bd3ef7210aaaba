import { t } from "@vscode/l10n";
import { TruncatedText } from "../shorten/truncated-text.js";
import { useTextGroup } from "../shorten/text-group.js";
import { formatValue } from "../../src/core/catalog/display.js";
import type { InstanceTable } from "../../src/protocol/index.js";
import { Unanswered } from "../components/message.js";
import { endpointNames, hostOf } from "../format/text.js";
import { useAnswer, useView } from "../state/context.js";
import { HeatImage } from "./heat-image.js";

const REFRESH_MS = 10_000;

interface CourseGridProps {
  readonly server: string;
  readonly metric: Pick<InstanceTable["columns"][number], "id" | "family">;
}

/** A metric of every endpoint over the window: a row for each, darker or lighter with its value. */
export function CourseGrid({ server, metric }: CourseGridProps) {
  const { run, layout } = useView();
  const live = useAnswer("instanceCourse", { server, metric: metric.id }, REFRESH_MS);
  const course = live.latest.value;
  const shown = course?.endpoints ?? [];
  const nameOf = endpointNames(shown, run.header.peek()?.endpoints);
  const group = useTextGroup(shown.map(nameOf));
  if (course === undefined) return <Unanswered live={live} what={t("heatmap")} />;
  const { endpoints, points, values, unit, title } = course;
  const known = values.filter((value) => !Number.isNaN(value));
  const least = known.reduce((a, b) => Math.min(a, b), Infinity);
  const most = known.reduce((a, b) => Math.max(a, b), -Infinity);
  if (known.length === 0) return <p class="muted">{t("No endpoint has samples of this metric in the window.")}</p>;
  return (
    <ul class="course-grid" aria-label={t`${title} of each endpoint over time`}>
      {endpoints.map((url, e) => {
        const row = values.subarray(e * points, (e + 1) * points);
        const own = row.filter((value) => !Number.isNaN(value));
        const range = t`${formatValue(Math.min(...own), unit)} to ${formatValue(Math.max(...own), unit)}`;
        return (
          <li key={url}>
            <button
              type="button"
              class="course-row"
              title={t`${hostOf(url)}: ${own.length === 0 ? t("no samples") : range}\nShow the chart of ${metric.family}`}
              onClick={() => layout.dispatch({ kind: "show", family: metric.family })}
            >
              <span class="course-name">
                <TruncatedText text={nameOf(url)} group={group} />
              </span>
              <HeatImage columns={points} rows={1} placeOf={placeOf(row, least, most)} class="course-strip" />
            </button>
          </li>
        );
      })}
      <li class="course-legend muted">
        {t`From ${formatValue(least, unit)} (near the background) to ${formatValue(most, unit)}, from the start to the end of the window.`}
      </li>
    </ul>
  );
}

const placeOf = (values: Float64Array, least: number, most: number) => (column: number) =>
  most > least ? ((values[column] ?? NaN) - least) / (most - least) : (values[column] ?? NaN) * 0;
