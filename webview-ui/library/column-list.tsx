import { t } from "@vscode/l10n";
import { useEffect, useState } from "preact/hooks";
import type { OfferedColumn } from "../../src/protocol/library.js";
import { Loading } from "../components/message.js";
import { matching, SearchList } from "../components/search-list.js";
import { CellName } from "../tables/columns.js";
import type { LibraryStore } from "./store.js";

interface ColumnListProps {
  readonly store: LibraryStore;
  readonly label: string;
  readonly isChosen?: (name: string) => boolean;
  readonly onPick: (column: OfferedColumn) => void;
}

/** All columns that there are, found by name, title, and by what practitioners call them. */
export function ColumnList({ store, label, isChosen, onPick }: ColumnListProps) {
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
