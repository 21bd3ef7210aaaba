import { t } from "@vscode/l10n";
import { runName, TIME, textOfCell } from "../../src/core/library/runs.js";
import type { NoteEdit, ShownColumn, ShownRow, ShownRuns } from "../../src/protocol/library.js";
import { Icon } from "../components/icon.js";
import { TruncatedText } from "../shorten/truncated-text.js";
import { TextGroup } from "../shorten/text-group.js";
import { isReport } from "../report/opened.js";
import { digits, type CellEdit, type GridColumn, numberRoom } from "../tables/columns.js";

/** In the first column together, or told by how a row is drawn. */
const IN_NAME: readonly string[] = ["run", "star", "problem"];

interface RowActions {
  readonly open: (row: ShownRow) => void;
  readonly edit: (row: ShownRow, edit: NoteEdit) => void;
}

export const idOf = ({ runs: [run] }: ShownRow): string => run?.id ?? "";

/** The row of a capture that goes on, which has no run yet, or of an experiment. */
export const isLive = ({ runs }: ShownRow): boolean => runs.every(({ isRunning }) => isRunning === true);

/** A run by its path below the folder. */
export function nameOf({ runs }: ShownRow): string {
  if (runs.length === 0) return t("Capturing");
  const [name = ""] = runs.map(({ id }) => runName(id));
  return runs.length > 1 ? t`${name} and ${runs.length - 1} more` : name;
}

/** The table's columns: what a run is called, and those that are chosen. */
export function runColumns({ columns, rows }: ShownRuns, actions: RowActions): readonly GridColumn<ShownRow>[] {
  const names = new TextGroup(() => rows.map(nameOf));
  return [
    {
      key: "run",
      title: t("Run"),
      about: t("Path below the folder, and its star"),
      kind: "text",
      order: nameOf,
      room: { head: 8, needs: (row) => nameOf(row).length + 12, least: 30, most: 60 },
      titleOf: ({ runs }) =>
        runs.map(({ id, problem = "" }) => `${id}${problem === "" ? "" : `: ${problem}`}`).join("\n"),
      cell: (row) => (
        <>
          {!isReport && <Star row={row} onEdit={actions.edit} />}
          {isReport ? (
            <TruncatedText text={nameOf(row)} group={names} />
          ) : (
            <button type="button" class="link run-name" tabIndex={-1} onClick={() => actions.open(row)}>
              <TruncatedText text={nameOf(row)} group={names} />
            </button>
          )}
          {row.runs.some(({ problem }) => problem !== undefined) && (
            <Icon name="warning" label={row.runs.map(({ problem = "" }) => problem).join("\n")} class="row-note" />
          )}
        </>
      ),
    },
    ...columns.flatMap((column, i) => (IN_NAME.includes(column.name) ? [] : cellColumn(column, i, rows, actions))),
  ];
}

function Star({ row, onEdit }: { readonly row: ShownRow; readonly onEdit: RowActions["edit"] }) {
  if (isLive(row)) return <Icon name="record" class="row-star tone-error" />;
  const starred = row.runs.every(({ note }) => note.star === true);
  return (
    <button
      type="button"
      class="icon-button row-star"
      tabIndex={-1}
      aria-pressed={starred}
      aria-label={t`Star ${nameOf(row)}`}
      title={starred ? t("Take the star away") : t("Star")}
      onClick={() => onEdit(row, { star: !starred })}
    >
      <Icon name={starred ? "star-full" : "star-empty"} />
    </button>
  );
}

function cellColumn(
  { name, title, unit }: ShownColumn,
  i: number,
  rows: readonly ShownRow[],
  actions: RowActions,
): GridColumn<ShownRow> {
  const isNumber = unit !== TIME && rows.some(({ cells }) => typeof cells[i] === "number");
  const texts = new TextGroup(() => rows.map((row) => String(row.cells[i] ?? "")));
  const textOf = ({ cells, deviations }: ShownRow) => {
    const deviation = deviations[i] ?? NaN;
    return textOfCell(cells[i] ?? null, unit) + (Number.isNaN(deviation) ? "" : ` ± ${textOfCell(deviation, unit)}`);
  };
  const edit = isReport ? undefined : editOf(name, actions);
  return {
    key: name,
    title,
    ...(title === name ? {} : { about: edit === undefined ? name : t`${name}. F2 or a double click changes it.` }),
    kind: isNumber ? "number" : "text",
    order: ({ cells }) => cells[i] ?? undefined,
    room: isNumber
      ? numberRoom(title, (row) => ({ number: textOf(row), unit: "" }))
      : { head: digits(title) + 2, needs: (row) => digits(textOf(row)), least: 16, most: 40 },
    titleOf: (row) => textOf(row) || undefined,
    cell: (row) => (isNumber ? textOf(row) : <TruncatedText text={textOf(row)} group={texts} />),
    ...(edit === undefined ? {} : { edit }),
  };
}

/** What is noted of a run is changed in its cell; of repeats that of all. */
function editOf(name: string, { edit }: RowActions): CellEdit<ShownRow> | undefined {
  const noteOf = ({ runs: [run] }: ShownRow) => run?.note ?? {};
  switch (name) {
    case "label":
    case "note":
      return { text: (row) => noteOf(row)[name] ?? "", done: (row, text) => edit(row, { [name]: text }) };
    case "tags":
      return {
        text: (row) => noteOf(row).tags?.join(", ") ?? "",
        done: (row, text) =>
          edit(row, {
            tags: text
              .split(",")
              .map((tag) => tag.trim())
              .filter((tag) => tag !== ""),
          }),
      };
    default:
      return undefined;
  }
}
