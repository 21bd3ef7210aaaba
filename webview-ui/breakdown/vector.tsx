import { t } from "@vscode/l10n";
import { useMemo, useState } from "preact/hooks";
import { formatValue, rateUnit } from "../../src/core/catalog/display.js";
import type { VectorData } from "../../src/protocol/index.js";
import { Placeholder } from "../components/message.js";
import { Select } from "../components/choice.js";
import { symbolOnly } from "../format/text.js";
import { positionGrid } from "../histograms/heat-grid.js";
import { Heatmap } from "../histograms/heatmap.js";
import type { ModeProps } from "../state/chart-mode.js";
import { positionLines, shownOfVector } from "./text.js";

/** As many positions as have room for their names beneath the bars. */
const MAX_LABELS = 24;

/** A bar for each position over the window, and beneath them their course slice by slice. */
export function Vector({ data, settings, header, title, onSettings }: ModeProps<VectorData>) {
  const unitOfRates = data.measure === "mean" ? data.unit : rateUnit(data.unit);
  const grid = useMemo(() => positionGrid(data, unitOfRates), [data]);
  if (data.empty !== undefined) return <Placeholder {...data.empty} />;
  const shown = shownOfVector(data, settings);
  return (
    <>
      {data.measure !== "mean" && (
        <div class="mode-line">
          <Select
            label={t("What the bars show")}
            value={shown.kind}
            options={[
              { value: "rate", text: t`rate (${unitOfRates ?? ""})` },
              { value: "total", text: data.measure },
            ]}
            onSelect={(statistic) => onSettings({ statistic })}
          />
        </div>
      )}
      <PositionBars
        data={data}
        values={shown.values}
        unit={shown.kind === "rate" ? unitOfRates : data.unit}
        title={title}
      />
      {data.unsliced === undefined ? (
        <Heatmap data={grid} header={header} title={t`${title} by ${data.label}`} />
      ) : (
        <p class="mode-note muted">
          {data.unsliced.reason}
          {header.file !== undefined &&
            !header.adjustable &&
            t(" The Parquet or JSONL file of the same run has every sample.")}
        </p>
      )}
    </>
  );
}

interface PositionBarsProps {
  readonly data: VectorData;
  readonly values: Float64Array;
  readonly unit: string | undefined;
  readonly title: string;
}

function PositionBars({ data, values, unit, title }: PositionBarsProps) {
  const [stop, setStop] = useState(0);
  const { positions, label } = data;
  const greatest = Math.max(...values);
  const every = Math.ceil(positions.length / MAX_LABELS);
  const onKeyDown = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }) => {
    const to = { ArrowRight: stop + 1, ArrowLeft: stop - 1, Home: 0, End: positions.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.currentTarget.querySelectorAll<HTMLElement>("li")[Math.min(positions.length - 1, Math.max(0, to))]?.focus();
  };
  return (
    <ol class="position-bars" aria-label={t`${title} by ${label}`} onKeyDown={onKeyDown}>
      {positions.map((position, i) => (
        <li
          key={position}
          class="position-bar"
          tabIndex={i === Math.min(stop, positions.length - 1) ? 0 : -1}
          aria-label={positionLines(data, i).join(", ")}
          title={positionLines(data, i).join("\n")}
          onFocus={() => setStop(i)}
        >
          <span class="position-value">
            {i % every === 0 ? formatValue(values[i] ?? NaN, symbolOnly(unit), 2) : ""}
          </span>
          <span class="position-track">
            <span class="bar-fill" style={{ height: `${greatest > 0 ? (100 * (values[i] ?? 0)) / greatest : 0}%` }} />
          </span>
          <span class="position-name">{i % every === 0 ? position : ""}</span>
        </li>
      ))}
    </ol>
  );
}
