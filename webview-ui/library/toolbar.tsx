import { t } from "@vscode/l10n";
import { useRef } from "preact/hooks";
import type { LibraryFormat } from "../../src/core/library/runs.js";
import type { LibraryPlot, OfferedColumn, ShownRuns } from "../../src/protocol/library.js";
import { Button } from "../components/button.js";
import { Choice } from "../components/choice.js";
import { ExportPopover } from "../components/popover.js";
import { ColumnPopover } from "./column-list.js";
import { isReport } from "../report/opened.js";
import type { LibraryStore } from "./store.js";

interface ToolbarProps {
  readonly store: LibraryStore;
  readonly shown: ShownRuns;
  readonly start: (work: Promise<unknown>) => void;
}

/** Which runs are shown, with what, and what is done with all of them. */
export function Toolbar({ store, shown, start }: ToolbarProps) {
  const filter = useRef<HTMLInputElement>(null);
  const { choice, plot } = store.layout.value;
  const names = shown.columns.map(({ name }) => name);
  const toggleColumn = (name: string) =>
    store.choose({ columns: names.includes(name) ? names.filter((one) => one !== name) : [...names, name] });
  /** One that holds for every run that has the column: its value is what is written next. */
  const addCondition = ({ name, group, unit }: OfferedColumn) => {
    const column = /[\s()"<>=!~]/.test(name) ? `"${name}"` : name;
    const before = choice.filter?.trim() ?? "";
    const value = group === "Metrics" || unit !== undefined ? "0" : '""';
    const text = `${before}${before === "" ? "" : t(" and ")}${column} ${value === "0" ? ">" : "!="} ${value}`;
    store.choose({ filter: text });
    requestAnimationFrame(() => {
      filter.current?.focus();
      filter.current?.setSelectionRange(text.length - value.length, text.length);
    });
  };
  const save = (format: LibraryFormat) =>
    start(store.client.call("saveRuns", { format, choice: { ...choice, columns: names } }));
  const sql = (how: "copy" | "open") => start(store.client.call("querySql", { how }));
  return (
    <div class="filter-bar" role="group" aria-label={t("Runs shown")}>
      <input
        ref={filter}
        class="input library-filter"
        type="search"
        aria-label={t("Filter runs")}
        title={t("Words, and conditions with and, or, not and parentheses: ttft.p99 < 500ms and tags ~ nightly")}
        placeholder={t("Filter: words, or conditions such as ttft.p99 < 500ms and tags ~ nightly")}
        value={choice.filter ?? ""}
        onInput={(event) => store.choose({ filter: event.currentTarget.value || undefined })}
      />
      <ColumnPopover
        store={store}
        button={{ label: t("Add a condition to the filter"), icon: "list-filter" }}
        label={t("Filter by a column, such as ttft, kv, commit or a setting")}
        onPick={addCondition}
      />
      <ColumnPopover
        store={store}
        button={{ label: t("Choose columns"), icon: "table", text: t("Columns") }}
        label={t("Search columns, such as ttft, itl, queue, kv, commit or a setting")}
        isChosen={(name) => names.includes(name)}
        onPick={({ name }) => toggleColumn(name)}
        foot={
          choice.columns !== undefined && (
            <div class="popover-actions">
              <Button text={t("Default Columns")} onClick={() => store.choose({ columns: undefined })} />
            </div>
          )
        }
      />
      <Choice
        label={t("What a row is")}
        options={[
          { value: "run", text: t("Runs"), title: t("One row for each run") },
          {
            value: "repeats",
            text: t("Repeats"),
            title: t("One row for each configuration and load: mean ± standard deviation of its runs"),
          },
          {
            value: "experiments",
            text: t("Experiments"),
            title: t("One row for each experiment: mean ± standard deviation of its runs"),
          },
        ]}
        value={choice.grouped ?? "run"}
        onChoose={(by) => store.choose({ grouped: by === "run" ? undefined : by })}
      />
      <label class="library-check" title={t("Also archived runs")}>
        <input
          type="checkbox"
          checked={choice.archived === true}
          onChange={(event) => store.choose({ archived: event.currentTarget.checked || undefined })}
        />{" "}
        {t("Archived")}
      </label>
      <Button
        text={plot === undefined ? t("Plot") : t("Hide Plot")}
        icon="graph"
        title={t("Scatter plot, throughput against latency, parallel coordinates, or the history of metrics")}
        pressed={plot !== undefined}
        onClick={() => store.setPlot(plot === undefined ? firstPlot(shown) : undefined)}
      />
      {!isReport && (
        <ExportPopover
          label={t("Export the runs shown")}
          items={[
            { text: t("Save as CSV…"), icon: "file", onPick: () => save("csv") },
            { text: t("Save as Parquet…"), icon: "file", onPick: () => save("parquet") },
            { text: t("Save as Markdown…"), icon: "file", onPick: () => save("markdown") },
            {
              text: t("Export Report…"),
              icon: "export",
              onPick: () => start(store.client.call("exportReport", {})),
            },
            { text: t("Open in DuckDB"), icon: "table", onPick: () => sql("open") },
            { text: t("Copy server-metrics sql"), icon: "copy", onPick: () => sql("copy") },
          ]}
        />
      )}
    </div>
  );
}

/** The first figure that runs have against what their load was set to, or else against time. */
function firstPlot({ columns }: ShownRuns): LibraryPlot {
  const names = columns.map(({ name }) => name);
  const y = ["ttft.p99", "client.ttft.p99", "latency.p99", "tokens", "requests"].find((name) => names.includes(name));
  const x = names.find((name) => /(?:^|\.)concurrency$/.test(name)) ?? (names.includes("load") ? "load" : "time");
  return { x, y: y ?? "duration" };
}
