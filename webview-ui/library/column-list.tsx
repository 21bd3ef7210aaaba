import { t } from "@vscode/l10n";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { OfferedColumn } from "../../src/protocol/library.js";
import { Loading } from "../components/message.js";
import { Popover, type PopoverProps } from "../components/popover.js";
import { matching, SearchList } from "../components/search-list.js";
import { CellName } from "../tables/columns.js";
import type { LibraryStore } from "./store.js";

interface ColumnListProps {
  readonly store: LibraryStore;
  /** Of the search. */
  readonly label: string;
  /** Absent: one is picked, which closes the list. */
  readonly isChosen?: (name: string) => boolean;
  readonly onPick: (column: OfferedColumn) => void;
}

interface ColumnPopoverProps extends ColumnListProps {
  readonly button: Pick<PopoverProps, "label" | "text" | "icon">;
  /** Below the list. */
  readonly foot?: ComponentChildren;
}

/** A button that opens the list of all columns. */
export function ColumnPopover({ button, foot, onPick, ...list }: ColumnPopoverProps) {
  return (
    <Popover {...button}>
      {(close) => (
        <>
          <ColumnList
            {...list}
            onPick={(column) => {
              if (list.isChosen === undefined) close();
              onPick(column);
            }}
          />
          {foot}
        </>
      )}
    </Popover>
  );
}

/** All columns that there are, found by name, title, and by what practitioners call them. */
function ColumnList({ store, label, isChosen, onPick }: ColumnListProps) {
  const [columns, setColumns] = useState<readonly OfferedColumn[]>();
  // While runs are still being read, every answer may bring more.
  const answer = store.runs.latest.value;
  useEffect(() => {
    store.client.call("libraryColumns", {}).then(setColumns, () => setColumns([]));
  }, [answer]);
  if (columns === undefined) return <Loading what={t("columns")} />;
  const items = columns.map((column) => ({
    id: column.name,
    text: column.title,
    also: column.name,
    group: column.group,
    column,
  }));
  return (
    <SearchList<(typeof items)[number]>
      label={label}
      find={(search) => matching(items, search)}
      multiple={isChosen !== undefined}
      isChosen={isChosen && (({ id }) => isChosen(id))}
      onPick={({ column }) => onPick(column)}
      render={({ text, id }) => (
        <>
          <span>{text}</span>
          {text !== id && <CellName name={id} />}
        </>
      )}
    />
  );
}
