import { t } from "@vscode/l10n";
import { statisticUnit } from "../../src/core/catalog/display.js";
import { useMemo } from "preact/hooks";
import { Unanswered } from "../components/message.js";
import { useLiveQuery, useView } from "../state/context.js";
import { DataTable } from "./data-table.js";
import { snapshotGrid } from "./model.js";

const REFRESH_MS = 10_000;

/** A file that holds one scrape: what it says, and why there are no charts. */
export function SnapshotView() {
  const { run } = useView();
  const live = useLiveQuery("snapshot", REFRESH_MS, (abort) => run.client.call("snapshot", {}, abort));
  const table = live.latest.value;
  const byName = run.familyByName.value;
  const model = useMemo(
    () => (table === undefined ? undefined : snapshotGrid(table, (name) => byName.get(name))),
    [table, byName],
  );
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
