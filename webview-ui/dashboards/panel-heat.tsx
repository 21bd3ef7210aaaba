import { t } from "@vscode/l10n";
import { useMemo } from "preact/hooks";
import { bucketText } from "../histograms/buckets.js";
import { heatPlace, heatScale } from "../histograms/color-scale.js";
import { useLiveQuery, useView } from "../state/context.js";
import { ofEndpoints, windowOf } from "../state/run-store.js";
import { HeatImage } from "./heat-image.js";

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
