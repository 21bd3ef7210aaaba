import { t } from "@vscode/l10n";
import type { VNode } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { plural, pluralOf } from "../../src/core/text/plural.js";
import type { LibraryChoice, NoteEdit, RunningCapture, ShownRow, ShownRuns } from "../../src/protocol/library.js";
import type { HostApi } from "../channel.js";
import { Button } from "../components/button.js";
import { NothingFound, Placeholder, ProblemLine, Unanswered } from "../components/message.js";
import { Menu, type MenuItem } from "../menu/menu.js";
import { isReport } from "../report/opened.js";
import { useAction } from "../state/action.js";
import { Grid } from "../tables/grid.js";
import type { Sorting } from "../tables/table-state.js";
import { idOf, isLive, nameOf, runColumns } from "./columns.js";
import { Plot } from "./plot.js";
import { createLibraryStore, type LibraryStore } from "./store.js";
import { Toolbar } from "./toolbar.js";

/** The runs of a folder. */
export function libraryView(api: HostApi): VNode {
  return <LibraryView store={createLibraryStore(api)} />;
}

function LibraryView({ store }: { readonly store: LibraryStore }) {
  const shown = store.runs.latest.value;
  if (shown === undefined)
    return (
      <main class="library" aria-busy={store.runs.state.value.kind !== "failed"}>
        <h1 class="visually-hidden">{t("Runs of this folder")}</h1>
        <Unanswered live={store.runs} what={t("runs")} failed={t("The runs could not be read")} />
      </main>
    );
  return <Runs store={store} shown={shown} />;
}

/** A sort of the command line, `-ttft.p99`, as a table has it. */
function sortingOf({ sort = "-time" }: LibraryChoice): Sorting {
  return sort.startsWith("-") ? { key: sort.slice(1), descending: true } : { key: sort, descending: false };
}

function Runs({ store, shown }: { readonly store: LibraryStore; readonly shown: ShownRuns }) {
  const action = useAction();
  const [menu, setMenu] = useState<{ readonly row: ShownRow; readonly anchor: Element }>();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const last = useRef<string>(undefined);
  const { choice, widths, plot } = store.layout.value;
  const { rows, total } = shown;
  // What is under way has nothing to draw yet.
  const finished = useMemo(() => ({ ...shown, rows: rows.filter((row) => !isLive(row)) }), [shown]);
  const state = store.runs.state.value;
  const start = (work: Promise<unknown>) => action.start(work);
  const edit = (of: readonly ShownRow[], change: NoteEdit) =>
    start(store.client.call("noteRuns", { runs: runsOf(of), edit: change }));
  const open = (of: readonly ShownRow[]) =>
    start(
      of.some(({ runs }) => runs.length === 0)
        ? store.client.call("showCapture", {})
        : store.client.call("openRuns", { runs: runsOf(of) }),
    );
  const ask = (name: "compareRuns" | "repeatRuns" | "deleteRuns", of: readonly ShownRow[]) => () =>
    start(store.client.call(name, { runs: runsOf(of) }));
  const capture = store.capturing.value;
  const live = capture === null ? [] : [liveRow(shown, capture)];
  const columns = useMemo(
    () => runColumns(shown, { open: (row) => open([row]), edit: (row, change) => edit([row], change) }),
    [shown],
  );
  // What a filter hides is not chosen any more.
  const chosen = rows.filter((row) => selected.has(idOf(row)));
  const count = runsOf(chosen).length;
  const toggle = (row: ShownRow, through: boolean) => {
    if (isLive(row)) return;
    const next = new Set(chosen.map(idOf));
    const placeOf = (id: string | undefined) => rows.findIndex((one) => idOf(one) === id);
    const [from, to] = [placeOf(last.current), placeOf(idOf(row))];
    const between = rows.slice(Math.min(from, to), Math.max(from, to) + 1).filter((one) => !isLive(one));
    const range = through && from >= 0 && to >= 0 ? between : [row];
    if (range.length === 1 && next.delete(idOf(row))) setSelected(next);
    else setSelected(new Set([...next, ...range.map(idOf)]));
    last.current = idOf(row);
  };
  const sort = (next: Sorting | undefined) =>
    store.choose({ sort: next === undefined ? undefined : `${next.descending ? "-" : ""}${next.key}` });
  const move = (key: string, to: string) => {
    const names = shown.columns.map(({ name }) => name);
    const [at, place] = [names.indexOf(key), names.indexOf(to)];
    if (at < 0 || place < 0 || at === place) return;
    names.splice(at, 1);
    names.splice(place, 0, key);
    store.choose({ columns: names });
  };
  const selection = { has: (row: ShownRow) => selected.has(idOf(row)), toggle };
  const menuOf = (row: ShownRow): readonly MenuItem[] => {
    if (isReport) return [];
    if (isLive(row)) return [{ id: "open", text: t("Show"), icon: "go-to-file", onPick: () => open([row]) }];
    const own = chosen.includes(row) ? chosen : [row];
    const notes = own.flatMap(({ runs }) => runs.map(({ note }) => note));
    const [archived, starred] = [notes.every((note) => note.archived), notes.every((note) => note.star)];
    return [
      { id: "open", text: t("Open"), icon: "go-to-file", onPick: () => open(own) },
      { id: "compare", text: comparing(notes.length), icon: "arrow-swap", onPick: ask("compareRuns", own) },
      {
        id: "star",
        text: starred ? t("Take the Star Away") : t("Star"),
        icon: starred ? "star-empty" : "star-full",
        onPick: () => edit(own, { star: !starred }),
      },
      {
        id: "archive",
        text: archived ? t("List Again") : t("Archive"),
        icon: "archive",
        onPick: () => edit(own, { archived: !archived }),
      },
      { id: "delete", text: t("Delete…"), icon: "close", onPick: ask("deleteRuns", own) },
    ];
  };
  return (
    <main class="library">
      <h1 class="visually-hidden">{t("Runs of this folder")}</h1>
      <Toolbar store={store} shown={shown} start={start} />
      {state.kind === "failed" && (
        <ProblemLine problem={{ severity: "error", reason: state.error.message, remedy: state.error.remedy }} />
      )}
      {action.problem.value !== undefined && <ProblemLine problem={action.problem.value} />}
      <Progress what={t("Reading runs")} share={shown.reading} />
      <Progress what={t("Computing findings and verdicts")} share={shown.judging} />
      {shown.hints?.map((hint) => (
        <ProblemLine key={hint} problem={{ severity: "info", reason: hint }} />
      ))}
      <div class="table-line">
        {chosen.length > 0 && !isReport ? (
          <div class="library-selection" role="group" aria-label={t("Chosen runs")}>
            <span>{t`${plural(count, t("run"), t("runs"))} chosen`}</span>
            <Button primary text={comparing(count)} onClick={ask("compareRuns", chosen)} />
            <Button text={t("Open")} onClick={() => open(chosen)} />
            {count === 2 && (
              <Button
                text={t("Make Experiment")}
                title={t("Write an experiment that repeats both runs with the commands that they recorded")}
                onClick={ask("repeatRuns", oldestFirst(shown, chosen))}
              />
            )}
            <Button text={t("Archive")} onClick={() => edit(chosen, { archived: true })} />
            <Button text={t("Delete…")} onClick={ask("deleteRuns", chosen)} />
            <button type="button" class="link" onClick={() => setSelected(new Set())}>
              {t("Clear")}
            </button>
          </div>
        ) : (
          <span class="muted" title={shown.folder}>
            {shown.folder.split(/[\\/]/).slice(-2).join("/")}
          </span>
        )}
        <span class="table-count muted" role="status">
          {countText(shown)}
        </span>
      </div>
      {plot !== undefined && (finished.rows.length > 0 || plot.kind === "sweep") && (
        <Plot store={store} shown={finished} plot={plot} selection={selection} start={start} />
      )}
      {total + rows.length + live.length === 0 ? (
        <Placeholder
          reason={t`There is no run below ${shown.folder} yet.`}
          remedy={t("Start a capture: its run is listed here as soon as its files are written.")}
        />
      ) : rows.length + live.length === 0 ? (
        <NothingFound
          what={t("run")}
          button={t("Show All Runs")}
          onAll={() => store.choose({ filter: undefined, archived: true })}
        />
      ) : (
        <Grid
          name={t("Runs")}
          class="library-scroller"
          columns={columns}
          rows={[...live, ...rows]}
          idOf={idOf}
          nameOf={nameOf}
          rowClass={rowClass}
          sorting={sortingOf(choice)}
          onSort={sort}
          widths={widths}
          onWidths={store.setWidths}
          onMove={move}
          selection={selection}
          onMenu={(row, anchor) => setMenu({ row, anchor })}
          {...(isReport ? {} : { onOpen: (row: ShownRow) => open([row]) })}
        />
      )}
      {shown.notesElsewhere !== undefined && (
        <p class="muted library-foot">{t`Notes are kept in your own data folder: ${shown.notesElsewhere}.`}</p>
      )}
      {menu !== undefined && (
        <Menu
          label={t`Actions for ${nameOf(menu.row)}`}
          anchor={menu.anchor}
          items={menuOf(menu.row)}
          onClose={() => setMenu(undefined)}
        />
      )}
    </main>
  );
}

function Progress({ what, share }: { readonly what: string; readonly share: number | undefined }) {
  if (share === undefined) return null;
  return (
    <div class="library-reading" role="status">
      <progress aria-label={what} max={1} value={share} />
      <span class="muted">{`${what}, ${Math.round(100 * share)} %`}</span>
    </div>
  );
}

function comparing(runs: number): string {
  return runs > 1 ? t("Compare") : t("Compare with…");
}

function runsOf(rows: readonly ShownRow[]): readonly string[] {
  return rows.flatMap(({ runs }) => runs.map(({ id }) => id));
}

/** As far as the table shows when they were. */
function oldestFirst({ columns }: ShownRuns, rows: readonly ShownRow[]): readonly ShownRow[] {
  const time = columns.findIndex(({ name }) => name === "time");
  return time < 0 ? rows : rows.toSorted((a, b) => Number(a.cells[time]) - Number(b.cells[time]));
}

/** It moves until its run is in the table: once its files are written. */
function liveRow({ columns }: ShownRuns, capture: RunningCapture): ShownRow {
  return { runs: [], cells: columns.map(({ name }) => capture[name] ?? null), deviations: [], intervals: [] };
}

function rowClass(row: ShownRow): string {
  const { runs } = row;
  if (isLive(row)) return "live";
  return runs.every(({ note, problem }) => note.archived === true || problem !== undefined) ? "incomplete" : "";
}

function countText({ rows: all, total }: ShownRuns): string {
  const rows = all.filter((row) => !isLive(row));
  const runs = runsOf(rows).length;
  const listed = pluralOf(runs, total, t("run"), t("runs"));
  return rows.length === runs ? listed : t`${listed} in ${plural(rows.length, t("row"), t("rows"))}`;
}
