import type { ComponentChildren } from "preact";
import type { RunId } from "../../../src/protocol/comparison.js";
import { RunSwatch } from "../run-swatch.js";

interface ChartSideProps {
  readonly run: RunId;
  readonly label: string;
  readonly children: ComponentChildren;
}

/** The chart of a run or a set, beside those of the others, under its name. */
export function ChartSide({ run, label, children }: ChartSideProps) {
  return (
    <div class="chart-side">
      <div class="chart-side-name" title={label}>
        <RunSwatch run={run} />
        {label}
      </div>
      {children}
    </div>
  );
}
