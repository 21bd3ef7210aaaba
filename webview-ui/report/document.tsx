import type { Block } from "../../src/core/text/document.js";
import { SortedTable } from "../components/sorted-table.js";
import { TextList } from "../components/text-list.js";

/** Blocks of text, with tables that sort. */
export function Document({ blocks }: { readonly blocks: readonly Block[] }) {
  let title = "";
  return (
    <>
      {blocks.map((block, i) => {
        if (block.kind === "heading") title = block.text;
        return <Part key={i} block={block} label={title} />;
      })}
    </>
  );
}

function Part({ block, label }: { readonly block: Block; readonly label: string }) {
  switch (block.kind) {
    case "heading":
      return block.level === 1 ? (
        <h1>{block.text}</h1>
      ) : block.level === 2 ? (
        <h2>{block.text}</h2>
      ) : (
        <h3>{block.text}</h3>
      );
    case "paragraph":
      return <p>{block.text}</p>;
    case "list":
      return <TextList class="report-list" items={block.items} />;
    case "table":
      return (
        <SortedTable
          label={label}
          heads={block.heads}
          rows={block.rows.map((cells, i) => ({ key: String(i), cells, order: cells }))}
        />
      );
  }
}
