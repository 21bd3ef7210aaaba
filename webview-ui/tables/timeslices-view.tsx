import { t } from "@vscode/l10n";
import { useMemo } from "preact/hooks";
import { FamilyPicker } from "../components/family-list.js";
import { Loading, Outdated, Placeholder, Unanswered } from "../components/message.js";
import { displayUnit, formatValue, statisticUnit } from "../../src/core/catalog/display.js";
import { useAnswer, useView } from "../state/context.js";
import { emptyRun, ofEndpoints } from "../state/run-store.js";
import { orderedCharts } from "../state/layout.js";
import type { FamilySummary, RunHeader } from "../../src/protocol/index.js";
import { DataTable } from "./data-table.js";
import { KeySlices } from "./key-slices.js";
import { timesliceGrid } from "./model.js";

const REFRESH_MS = 3000;

/** What happened in each slice of the profiling phase, for one family. */
export function TimeslicesView() {
  const { run, layout } = useView();
  const header = run.header.value;
  const byName = run.familyByName.value;
  const { subject } = layout.layout.value.tables.timeslices;
  const families = run.families.value.filter(({ isInfo }) => !isInfo);
  const chosen = subject !== undefined && "family" in subject ? byName.get(subject.family) : undefined;
  const [first] = orderedCharts(layout.layout.value);
  const family = chosen ?? (first === undefined ? families[0] : byName.get(first.family));
  if (header === undefined) return <Loading what={t("timeslices")} />;
  if (family === undefined) return <Placeholder {...emptyRun(header)} />;
  return (
    <div class="table-view">
      <KeySlices header={header} />
      <div class="table-subject">
        <FamilyPicker
          label={t("Choose a metric")}
          families={families}
          chosen={family}
          onPick={({ name }) => layout.changeTable("timeslices", { subject: { family: name } })}
        />
        <span class="muted table-description">{t`${family.unit === undefined ? "" : `${displayUnit(family.unit).symbol} · `}slices of ${formatValue(header.sliceDurationSeconds, "seconds")} from the start of profiling`}</span>
      </div>
      <SlicesOf key={family.name} family={family} header={header} />
    </div>
  );
}

function SlicesOf({ family, header }: { readonly family: FamilySummary; readonly header: RunHeader }) {
  const { run, objectives } = useView();
  const measured = objectives.value.attained
    .filter((one) => one.family === family.name)
    .map(({ name, threshold }) => ({ name, threshold }));
  const only = ofEndpoints(run.only.value);
  const live = useAnswer("timeslices", { family: family.name, objectives: measured, ...only }, REFRESH_MS);
  const table = live.latest.value;
  const start = header.profilingStart;
  const model = useMemo(() => table && timesliceGrid(table, start), [table, start]);
  if (table === undefined || model === undefined) return <Unanswered live={live} what={t("timeslices")} />;
  if (model.rows.length === 0)
    return header.phase === "warmup" ? (
      <Placeholder
        reason={t("Slices begin with the profiling phase.")}
        remedy={t("Mark the profiling start to end the warm-up now.")}
      />
    ) : (
      <Placeholder
        reason={t`${family.displayName} has no slice with samples so far.`}
        remedy={t("A slice needs two samples; a histogram needs observations.")}
      />
    );
  return (
    <>
      <Outdated live={live} />
      <DataTable
        model={model}
        table="timeslices"
        name={t`Timeslices of ${family.displayName}`}
        unitOf={(_row, key) => statisticUnit(key, table.unit)}
      />
    </>
  );
}
