import type { ComponentChildren } from "preact";
import { RunSwatch } from "../run-swatch.js";
import type { Answered } from "./asked.js";

/** The chart of one run, beside those of the others, under the run's name. */
export function ChartSide({
  run,
  children,
}: Pick<Answered<unknown>, "run"> & { readonly children: ComponentChildren }) {
  return (
    <div class="chart-side">
      <div class="chart-side-name" title={run.label}>
        <RunSwatch run={run.id} />
        {run.label}
      </div>
      {children}
    </div>
  );
}
