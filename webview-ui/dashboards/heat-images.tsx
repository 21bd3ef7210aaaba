import { t } from "@vscode/l10n";
import { useMemo, useEffect, useRef } from "preact/hooks";
import { bucketText } from "../histograms/buckets.js";
import { heatPlace, heatScale, heatColor } from "../histograms/heat-grid.js";
import { useLiveQuery, useView, useAnswer } from "../state/context.js";
import { ofEndpoints, windowOf } from "../state/run-store.js";
import { chartTheme } from "../charts/theme.js";
import { TruncatedText } from "../shorten/truncated-text.js";
import { useTextGroup } from "../shorten/text-group.js";
import { formatValue } from "../../src/core/catalog/display.js";
import type { InstanceTable } from "../../src/protocol/index.js";
import { Unanswered } from "../components/message.js";
import { endpointNames, hostOf } from "../format/text.js";

const REFRESH_MS = 5000;
/** A few pixels each in a panel. */
const COLUMNS = 60;

/** Observations of a histogram by bucket and time, small: rows are the buckets that have any. */
export function PanelHeat({ family }: { readonly family: string }) {
  const { run } = useView();
  const live = useLiveQuery(`heat ${family} ${run.only.value?.to ?? ""}`, REFRESH_MS, (abort) => {
    const header = run.header.peek();
    const within = header === undefined ? {} : windowOf(header);
    const query = { family, ...ofEndpoints(run.only.peek()), ...within, maxColumns: COLUMNS };
    return run.client.call("heatmap", query, abort);
  });
  const data = live.latest.value;
  const image = useMemo(() => {
    if (data === undefined) return undefined;
    const { uppers, rates } = data;
    const columns = Math.max(0, data.edges.length - 1);
    const scale = heatScale(rates);
    const rateAt = (column: number, bucket: number) => rates[column * uppers.length + bucket] ?? NaN;
    const seen = [...uppers.keys()].filter((bucket) =>
      Array.from({ length: columns }, (_, column) => rateAt(column, bucket)).some((rate) => rate > 0),
    );
    const [first, last] = [seen[0], seen.at(-1)];
    if (scale === undefined || first === undefined || last === undefined) return undefined;
    return {
      columns,
      rows: last - first + 1,
      placeOf: (column: number, row: number) => heatPlace(rateAt(column, last - row), scale),
      lowest: bucketText(uppers, first, data.unit),
      highest: bucketText(uppers, last, data.unit),
    };
  }, [data]);
  if (image === undefined) return <span class="muted">{data === undefined ? "…" : t("Nothing was observed.")}</span>;
  return (
    <span class="panel-heat">
      <HeatImage columns={image.columns} rows={image.rows} placeOf={image.placeOf} class="heat-image" />
      <span class="panel-heat-range muted">
        <span>{image.highest}</span>
        <span>{image.lowest}</span>
      </span>
    </span>
  );
}

interface HeatImageProps {
  readonly columns: number;
  readonly rows: number;
  /** 0 to 1, the last row at the bottom; NaN for none. */
  readonly placeOf: (column: number, row: number) => number;
  readonly class: string;
}

/** One pixel a cell; the style sheet makes it as large as there is room. */
function HeatImage({ columns, rows, placeOf, class: name }: HeatImageProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = chartTheme.value;
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (canvas.current === null || context === null || context === undefined || theme === undefined) return;
    canvas.current.width = Math.max(1, columns);
    canvas.current.height = Math.max(1, rows);
    for (let column = 0; column < columns; column++)
      for (let row = 0; row < rows; row++) {
        const place = placeOf(column, row);
        if (Number.isNaN(place)) continue;
        const [r, g, b] = heatColor(place, theme);
        context.fillStyle = `rgb(${r}, ${g}, ${b})`;
        context.fillRect(column, row, 1, 1);
      }
  }, [columns, rows, placeOf, theme]);
  return <canvas class={name} ref={canvas} aria-hidden="true" />;
}

/** Of every endpoint: not as often as one. */
const COURSE_MS = 10_000;

interface CourseGridProps {
  readonly server: string;
  readonly metric: Pick<InstanceTable["columns"][number], "id" | "family">;
}

/** A metric of every endpoint over the window: a row for each, darker or lighter with its value. */
export function CourseGrid({ server, metric }: CourseGridProps) {
  const { run, layout } = useView();
  const live = useAnswer("instanceCourse", { server, metric: metric.id }, COURSE_MS);
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
              onClick={() => layout.show(metric.family)}
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
