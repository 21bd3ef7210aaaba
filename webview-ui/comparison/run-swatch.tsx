import type { ComponentChildren } from "preact";
import type { RunId } from "../../src/protocol/comparison.js";
import { elideMiddle, useTextGroup } from "../shorten/text-group.js";
import { useComparison } from "./context.js";
import { runColorClass } from "./run-colors.js";

/** The colour of a compared run, which is that of its set. */
export function RunSwatch({ run }: { readonly run: RunId | undefined }) {
  const { store } = useComparison();
  const set = store.state.value?.runs.find(({ id }) => id === run)?.set ?? run;
  return <span class={`run-swatch ${runColorClass(store.colors.of(set))}`} aria-hidden="true" />;
}

interface RunColumnHeadProps {
  readonly run: RunId | undefined;
  readonly label: string;
  readonly class?: string;
  readonly colSpan?: number;
}

/** The head of a run's column. */
export function RunColumnHead({ run, label, ...cell }: RunColumnHeadProps) {
  const { store } = useComparison();
  const group = useTextGroup(store.state.value?.runs.map((one) => one.label) ?? []);
  return (
    <th scope="col" title={label} {...cell}>
      <RunSwatch run={run} />
      {elideMiddle(label, 32, group)}
    </th>
  );
}

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
