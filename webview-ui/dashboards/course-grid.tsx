import { useEffect, useRef } from "preact/hooks";
import { formatValue } from "../../src/core/catalog/display.js";
import { chartTheme } from "../charts/theme.js";
import { FailedRequest, Loading } from "../components/message.js";
import { hostOf } from "../format/text.js";
import { heatColor } from "../histograms/color-scale.js";
import { useLiveQuery, useView } from "../state/context.js";
import { latestOf } from "../state/live-query.js";

const REFRESH_MS = 10_000;

/** A metric of every endpoint over the window: a row for each, darker or lighter with its value. */
export function CourseGrid({ server, metric }: { readonly server: string; readonly metric: string }) {
  const { run, layout } = useView();
  const live = useLiveQuery(`course ${server} ${metric}`, REFRESH_MS, (abort) =>
    run.client.call("instanceCourse", { server, metric }, abort),
  );
  const state = live.state.value;
  const course = latestOf(state);
  if (course === undefined)
    return state.kind === "failed" ? (
      <FailedRequest error={state.error} what="The heatmap could not be loaded" retry={live.retry} />
    ) : (
      <Loading what="heatmap" />
    );
  const { endpoints, points, values, unit, title } = course;
  const known = values.filter((value) => !Number.isNaN(value));
  const least = known.reduce((a, b) => Math.min(a, b), Infinity);
  const most = known.reduce((a, b) => Math.max(a, b), -Infinity);
  if (known.length === 0) return <p class="muted">No endpoint has samples of it in the window.</p>;
  return (
    <ul class="course-grid" aria-label={`${title} of each endpoint over time`}>
      {endpoints.map((url, e) => {
        const row = values.subarray(e * points, (e + 1) * points);
        const own = row.filter((value) => !Number.isNaN(value));
        const range = `${formatValue(Math.min(...own), unit)} to ${formatValue(Math.max(...own), unit)}`;
        return (
          <li key={url}>
            <button
              type="button"
              class="course-row"
              title={`${hostOf(url)}: ${own.length === 0 ? "no samples" : range}\nShow only this endpoint`}
              onClick={() => layout.dispatch({ kind: "narrow", endpointUrl: url })}
            >
              <span class="course-name">{hostOf(url)}</span>
              <Strip values={row} least={least} most={most} />
            </button>
          </li>
        );
      })}
      <li class="course-legend muted">
        {`From ${formatValue(least, unit)} (near the background) to ${formatValue(most, unit)}, from the start to the end of the window.`}
      </li>
    </ul>
  );
}

interface StripProps {
  readonly values: Float64Array;
  readonly least: number;
  readonly most: number;
}

/** One pixel a stretch of time; the style sheet makes it as wide as there is room. */
function Strip({ values, least, most }: StripProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = chartTheme.value;
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (canvas.current === null || context === null || context === undefined || theme === undefined) return;
    canvas.current.width = Math.max(1, values.length);
    canvas.current.height = 1;
    for (const [i, value] of values.entries()) {
      if (Number.isNaN(value)) continue;
      const [r, g, b] = heatColor(most > least ? (value - least) / (most - least) : 0, theme);
      context.fillStyle = `rgb(${r}, ${g}, ${b})`;
      context.fillRect(i, 0, 1, 1);
    }
  }, [values, least, most, theme]);
  return <canvas class="course-strip" ref={canvas} aria-hidden="true" />;
}
