import { t } from "@vscode/l10n";
import { useComputed, type ReadonlySignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { ChartData, RunHeader, SeriesChange } from "../../src/protocol/index.js";
import type { Threshold } from "../assertions/assertions.js";
import { Loading, Placeholder } from "../components/message.js";
import { isSilent } from "../dashboards/kinds.js";
import { useLiveQuery, useView } from "../state/context.js";
import { isLive } from "../state/run-store.js";
import { bandOf } from "./band.js";
import { ChangeList, EventLegend } from "./marks.js";
import { ChartCanvas } from "./chart-canvas.js";
import { Legend, type HiddenLines } from "./legend.js";
import { chartModel } from "./model.js";
import { chartTheme } from "./theme.js";

interface LineChartProps {
  readonly data: ChartData;
  /** As median, band and outliers. */
  readonly many?: boolean;
  /** Level changes and outliers of the series are marked. */
  readonly marked?: boolean;
  readonly header: RunHeader;
  readonly thresholds: readonly Threshold[];
  readonly inSight: ReadonlySignal<boolean>;
  readonly hidden: HiddenLines;
  readonly logarithmic: boolean;
  /** Of a family, where the chart has several. */
  readonly titleOf?: (family: string) => string;
  readonly title: string;
}

/** How often level changes of a running capture are looked for again. */
const CHANGES_MS = 5000;
const NONE: readonly SeriesChange[] = [];

/** Level changes and outliers of the series drawn; none where they are not wanted or cannot be found. */
function useChanges({ family, lines }: ChartData, wanted: boolean, inSight: ReadonlySignal<boolean>) {
  const { run } = useView();
  const series = [...new Set(lines.map((line) => line.series))];
  const live = useLiveQuery(
    JSON.stringify(["changes", family, series, wanted]),
    CHANGES_MS,
    (abort) =>
      wanted && series.length > 0 ? run.client.call("changes", { family, series }, abort) : Promise.resolve(NONE),
    { inSight },
  );
  return live.latest.value ?? NONE;
}

/** Lines over time with their legend. */
export function LineChart({
  data,
  many = false,
  marked = false,
  header,
  thresholds,
  inSight,
  hidden,
  logarithmic,
  titleOf,
  title,
}: LineChartProps) {
  const { run } = useView();
  const pointed = useComputed(() => (inSight.value ? run.pointed.value : undefined));
  const theme = chartTheme.value;
  const viewport = run.viewport.value;
  const several = data.lines.some(({ family }) => family !== undefined);
  const changes = useChanges(data, marked && !several, inSight);
  const band = useMemo(() => (many ? bandOf(data, header.endpoints) : undefined), [data, many]);
  const made = useMemo(
    () =>
      theme === undefined
        ? undefined
        : chartModel(
            data,
            header,
            viewport,
            hidden.keys,
            run.colors,
            theme,
            thresholds,
            band,
            changes,
            logarithmic,
            titleOf,
          ),
    // A header comes with every progress, and the answer soon after it: one drawing for both.
    [
      data,
      band,
      header.profilingStart,
      header.profilingEnd,
      header.window?.start,
      header.window?.end,
      header.marks.length,
      header.events?.length,
      viewport,
      hidden.keys,
      theme,
      thresholds,
      changes,
      logarithmic,
    ],
  );
  // What is gone has no value now.
  const answers = header.endpoints.some(
    (one) => !isSilent(one) && data.lines.some(({ endpointUrl }) => endpointUrl === "" || endpointUrl === one.url),
  );
  if (data.empty !== undefined) return <Placeholder {...data.empty} />;
  if (made === undefined) return <Loading what={t("chart")} />;
  return (
    <>
      <ChartCanvas model={made.model} label={t`Chart of ${title}`} />
      <Legend
        entries={made.legend}
        pointed={pointed}
        unit={data.unit}
        live={isLive(header) && run.follows.value && answers}
        onToggle={hidden.toggle}
        onIsolate={(key) => hidden.isolate(key, made.legend)}
      />
      <EventLegend model={made.model} />
      <ChangeList marks={made.model.changes ?? []} whole={made.model.whole} family={data.family} title={title} />
    </>
  );
}
