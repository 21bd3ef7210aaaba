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
  const chosen =
    subject !== undefined && "family" in subject && byName.has(subject.family) ? subject.family : undefined;
  const first =
    orderedCharts(layout.layout.value)[0]?.family ?? run.families.value.find((family) => !family.isInfo)?.name;
  const family = byName.get(chosen ?? first ?? "");
  if (header === undefined) return <Loading what={t("timeslices")} />;
  if (family === undefined) return <Placeholder {...emptyRun(header)} />;
  return (
    <div class="table-view">
      <KeySlices header={header} />
      <div class="table-subject">
        <FamilyPicker
          label={t("Choose a metric")}
          families={run.families.value.filter((one) => !one.isInfo)}
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
  const model = useMemo(
    () => (table === undefined ? undefined : timesliceGrid(table, header.profilingStart)),
    [table, header.profilingStart],
  );
  if (table === undefined || model === undefined) return <Unanswered live={live} what={t("timeslices")} />;
  if (model.rows.length === 0) {
    const warming = header.phase === "warmup";
    return (
      <Placeholder
        {...(warming
          ? {
              severity: "info",
              reason: t("Slices begin with the profiling phase."),
              remedy: t("Mark the profiling start to end the warm-up now."),
            }
          : {
              severity: "info",
              reason: t`${family.displayName} has no slice with samples so far.`,
              remedy: t("A slice needs two samples; a histogram needs observations."),
            })}
      />
    );
  }
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
