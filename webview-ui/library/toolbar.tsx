import { t } from "@vscode/l10n";
import { useRef } from "preact/hooks";
import { plural } from "../../src/core/text/plural.js";
import type { LibraryFormat } from "../../src/core/library/formats.js";
import type { LibraryPlot, OfferedColumn, ShownRuns } from "../../src/protocol/library.js";
import { Choice } from "../components/choice.js";
import { ExportPopover } from "../components/export-popover.js";
import { Icon } from "../components/icon.js";
import { Popover } from "../components/popover.js";
import { ColumnList } from "./column-list.js";
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
      <Popover label={t("Add a condition to the filter")} appearance="icon" button={<Icon name="list-filter" />}>
        {(close) => (
          <ColumnList
            store={store}
            label={t("Filter by a column, such as ttft, kv, commit or a setting")}
            onPick={(column) => {
              close();
              addCondition(column);
            }}
          />
        )}
      </Popover>
      <Popover
        label={t("Choose columns")}
        button={
          <>
            <Icon name="table" slot="start" />
            {t("Columns")}
          </>
        }
      >
        {() => (
          <>
            <ColumnList
              store={store}
              label={t("Search columns, such as ttft, itl, queue, kv, commit or a setting")}
              isChosen={(name) => names.includes(name)}
              onPick={({ name }) => toggleColumn(name)}
            />
            {choice.columns !== undefined && (
              <div class="popover-actions">
                <vscode-button appearance="secondary" onClick={() => store.choose({ columns: undefined })}>
                  {t("Default Columns")}
                </vscode-button>
              </div>
            )}
          </>
        )}
      </Popover>
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
      <vscode-button
        appearance="secondary"
        aria-pressed={plot !== undefined}
        title={t("Scatter plot, parallel coordinates, or the history of metrics")}
        onClick={() => store.setPlot(plot === undefined ? firstPlot(shown) : undefined)}
      >
        <Icon name="graph" slot="start" />
        {plot === undefined ? t("Plot") : t("Hide Plot")}
      </vscode-button>
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

interface SelectionBarProps {
  readonly count: number;
  readonly onOpen: () => void;
  readonly onCompare: () => void;
  readonly onRepeat: () => void;
  readonly onArchive: () => void;
  readonly onDelete: () => void;
  readonly onClear: () => void;
}

/** What is done with the runs that are chosen. */
export function SelectionBar({ count, onOpen, onCompare, onRepeat, onArchive, onDelete, onClear }: SelectionBarProps) {
  return (
    <div class="library-selection" role="group" aria-label={t("Chosen runs")}>
      <span>{t`${plural(count, t("run"), t("runs"))} chosen`}</span>
      <vscode-button onClick={onCompare}>{count > 1 ? t("Compare") : t("Compare with…")}</vscode-button>
      <vscode-button appearance="secondary" onClick={onOpen}>
        {t("Open")}
      </vscode-button>
      {count === 2 && (
        <vscode-button
          appearance="secondary"
          title={t("Write an experiment that repeats both runs with the commands that they recorded")}
          onClick={onRepeat}
        >
          {t("Make Experiment")}
        </vscode-button>
      )}
      <vscode-button appearance="secondary" onClick={onArchive}>
        {t("Archive")}
      </vscode-button>
      <vscode-button appearance="secondary" onClick={onDelete}>
        {t("Delete…")}
      </vscode-button>
      <button type="button" class="link" onClick={onClear}>
        {t("Clear")}
      </button>
    </div>
  );
}
