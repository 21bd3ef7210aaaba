import { t } from "@vscode/l10n";
import { useState } from "preact/hooks";
import type { ReportFormat } from "../../src/protocol/comparison.js";
import { Choice } from "../components/choice.js";
import { ExportPopover } from "../components/popover.js";
import { grouped, plural } from "../../src/core/text/plural.js";
import type { RunningAction } from "../state/action.js";
import { useComparison, useCompared } from "./context.js";
import { shownRows } from "./differences/columns.js";

const FORMATS: readonly { readonly format: ReportFormat; readonly text: string; readonly title: string }[] = [
  { format: "markdown", text: t("Save as Markdown…"), title: t("For a pull request") },
  { format: "csv", text: t("Save as CSV…"), title: t("For a spreadsheet: one line per row and candidate") },
  { format: "json", text: t("Save as JSON…"), title: t("For a program: the whole comparison") },
];

type Scope = "shown" | "usual";

/** The report, of the rows that the table shows or as it usually is. */
export function ExportMenu({ action }: { readonly action: RunningAction }) {
  const { store, layout } = useComparison();
  const comparison = useCompared();
  const [scope, setScope] = useState<Scope>("usual");
  const current = layout.layout.value;
  const shown = () => shownRows(comparison, current).map(({ row }) => row.id);
  const rows = () => (scope === "shown" ? { rows: shown() } : {});
  const copy = () => {
    const wanted = rows();
    const what = wanted.rows === undefined ? t("report") : plural(wanted.rows.length, t("row"), t("rows"));
    const text = store.client.call("report", { format: "markdown", ...wanted });
    action.start(text.then((report) => store.client.call("copy", { text: report.text, what })));
  };
  return (
    <ExportPopover
      label={t("Export the comparison")}
      choices={() => (
        <Choice
          label={t("Rows exported")}
          options={[
            {
              value: "usual",
              text: t("Whole report"),
              title: t("Markdown: rows that differ; CSV and JSON: all rows"),
            },
            {
              value: "shown",
              text: t`Shown rows (${grouped(shown().length)})`,
              title: t("The rows that pass the table's filters, in its order"),
            },
          ]}
          value={scope}
          onChoose={setScope}
        />
      )}
      items={[
        { text: t("Copy as Markdown"), icon: "copy", onPick: copy },
        {
          text: t("Export Report…"),
          icon: "export",
          title: t("One HTML file with these views, which opens anywhere"),
          onPick: () => action.start(store.client.call("exportReport", {})),
        },
        ...FORMATS.map(({ format, text, title }) => ({
          text,
          icon: "file" as const,
          title,
          onPick: () => action.start(store.client.call("saveReport", { format, ...rows() })),
        })),
      ]}
    />
  );
}
