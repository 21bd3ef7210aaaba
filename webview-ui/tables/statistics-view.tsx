import { t } from "@vscode/l10n";
import { useMemo } from "preact/hooks";
import { displayUnit, isDuration, statisticUnit } from "../../src/core/catalog/display.js";
import { METRIC_TYPES } from "../../src/core/model/index.js";
import type { FamilySummary, TableLayout } from "../../src/protocol/index.js";
import { AssertionList } from "../assertions/assertions.js";
import { FamilyPicker } from "../components/family-list.js";
import { Loading, Outdated, Placeholder, Unanswered } from "../components/message.js";
import { Select } from "../components/choice.js";
import { useAnswer, useView } from "../state/context.js";
import { emptyRun } from "../state/run-store.js";
import { DataTable } from "./data-table.js";
import { statisticsGrid, snapshotGrid } from "./model.js";

/** All statistics of a run are worked out for this table: not at every scrape. */
const REFRESH_MS = 3000;

type Subject = NonNullable<TableLayout["subject"]>;

const LATENCIES = "latencies";

/** Statistics of the latencies, of all of a type, or of one family, series by series. */
export function StatisticsView() {
  const { run, layout } = useView();
  const families = run.families.value;
  const chosen = knownSubject(layout.layout.value.tables.statistics.subject, families);
  const setChosen = (subject: Subject | undefined) => layout.changeTable("statistics", { subject });
  const types = METRIC_TYPES.filter((type) => families.some((family) => family.type === type));
  const latencies = families.filter(({ type, unit }) => type === "histogram" && isDuration(unit));
  // They are what is looked for first.
  const ofLatencies = chosen === undefined && latencies.length > 0;
  const first = types.find((type) => type === "histogram") ?? types[0];
  const subject = chosen ?? (first === undefined ? undefined : { type: first });
  const header = run.header.value;
  if (header === undefined) return <Loading what={t("statistics")} />;
  if (subject === undefined) return <Placeholder {...emptyRun(header)} />;
  const byType = "type" in subject ? subject.type : undefined;
  const family = "family" in subject ? run.familyByName.value.get(subject.family) : undefined;
  return (
    <div class="table-view">
      <div class="table-subject">
        <Select
          label={t("Metrics of a type")}
          value={ofLatencies ? LATENCIES : (byType ?? "")}
          options={[
            ...(latencies.length > 0 ? [{ value: LATENCIES, text: t("latencies") }] : []),
            ...(byType === undefined ? [{ value: "", text: t("one metric") }] : []),
            ...types.map((type) => ({
              value: type,
              text: t`all ${type === "unknown" ? t("untyped metrics") : `${type}s`}`,
            })),
          ]}
          onSelect={(value) => {
            const type = types.find((one) => one === value);
            if (type !== undefined) setChosen({ type });
            else if (value === LATENCIES) setChosen(undefined);
          }}
        />
        <FamilyPicker
          label={t("One metric…")}
          families={families}
          chosen={family}
          onPick={({ name }) => setChosen({ family: name })}
        />
        {family !== undefined && (
          <span class="muted table-description">
            {[displayUnit(family.unit).symbol, family.description].filter((part) => part !== "").join(" · ")}
          </span>
        )}
      </div>
      <StatisticsTableView
        key={JSON.stringify([subject, ofLatencies])}
        subject={subject}
        family={family}
        ofLatencies={ofLatencies}
      />
    </div>
  );
}

/** A remembered subject that this run has. */
function knownSubject(subject: Subject | undefined, families: readonly FamilySummary[]): Subject | undefined {
  if (subject === undefined) return undefined;
  const isOf = ({ name, type }: FamilySummary) =>
    "family" in subject ? name === subject.family : type === subject.type;
  return families.some(isOf) ? subject : undefined;
}

interface TableProps {
  readonly subject: Subject;
  readonly family: FamilySummary | undefined;
  /** Of the subject's families, only those that are latencies. */
  readonly ofLatencies: boolean;
}

function StatisticsTableView({ subject, family, ofLatencies }: TableProps) {
  const { run, layout, assertions } = useView();
  const checks = assertions.value;
  const { pinned } = layout.layout.value;
  const live = useAnswer("statistics", subject, REFRESH_MS);
  const table = live.latest.value;
  const byName = run.familyByName.value;
  const only = run.only.value;
  const isShown = (name: string) => !ofLatencies || isDuration(byName.get(name)?.unit);
  const model = useMemo(() => {
    if (table === undefined) return undefined;
    const grid = statisticsGrid(table, (name) => byName.get(name), "family" in subject, pinned, checks);
    const rows = grid.rows.filter((row) => isShown(row.family) && only?.urls.includes(row.endpointUrl) !== false);
    return { ...grid, rows };
  }, [table, byName, pinned, checks, only]);
  if (table === undefined || model === undefined) return <Unanswered live={live} what={t("statistics")} />;
  if (model.rows.length === 0)
    return (
      <Placeholder
        reason={t`${family?.displayName ?? t("This choice")} has no series yet.`}
        remedy={t("Rows appear with the first scrape that reports it.")}
      />
    );
  return (
    <>
      <Outdated live={live} />
      <AssertionList
        named
        results={checks.filter(
          (result) =>
            result.family === undefined ||
            ("family" in subject
              ? result.family === subject.family
              : byName.get(result.family)?.type === subject.type && isShown(result.family)),
        )}
      />
      <DataTable
        model={model}
        table="statistics"
        name={t`Statistics of ${family?.displayName ?? (ofLatencies ? LATENCIES : t`all ${table.type}s`)}`}
        unitOf={(row, key) => statisticUnit(key, byName.get(row.family)?.unit)}
      />
    </>
  );
}

/** A file that holds one scrape: what it says, and why there are no charts. */
export function SnapshotView() {
  const { run } = useView();
  const live = useAnswer("snapshot", {}, REFRESH_MS);
  const table = live.latest.value;
  const byName = run.familyByName.value;
  const model = useMemo(() => table && snapshotGrid(table, (name) => byName.get(name)), [table, byName]);
  if (table === undefined || model === undefined) return <Unanswered live={live} what={t("values")} />;
  return (
    <div class="table-view">
      <p class="table-caption muted">
        {t(
          "A single scrape cannot be charted. Counters and histograms show what the server has counted since it started.",
        )}
      </p>
      <DataTable
        model={model}
        table="statistics"
        name={t("Values of one scrape")}
        unitOf={(row, key) => statisticUnit(key, table.rows[row.index]?.unit)}
      />
    </div>
  );
}
