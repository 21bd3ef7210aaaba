import type { RichBlock, RichText } from "../../core/text/index.js";
import { right, terminalWidth, textTable, type TextRow } from "./table.js";

/** As many letters of a cell stay on one line where a table has to fit. */
const WRAP_FROM = 16;

/** A document for a terminal: what Markdown marks stands as it is, and tables are aligned. */
export function documentText(blocks: readonly RichBlock[]): string {
  return blocks
    .map((block, i) => {
      const before = blocks[i - 1];
      const isApart = before !== undefined && before.kind !== "heading" && !(isRunning(before) && isRunning(block));
      return `${isApart ? "\n" : ""}${textOf(block)}`;
    })
    .join("\n");
}

function isRunning({ kind }: RichBlock): boolean {
  return kind === "paragraph" || kind === "list";
}

function textOf(block: RichBlock): string {
  switch (block.kind) {
    case "heading":
    case "paragraph":
      return plain(block.text);
    case "list":
      return block.items.map((item) => `- ${plain(item)}`).join("\n");
    case "table":
      return tableText(block);
    case "quote":
    case "notes":
      return block.lines.map(plain).join("\n");
    case "folded":
      return `${block.summary}\n${documentText(block.blocks)}`;
    case "code":
      return block.lines.join("\n");
  }
}

/** What a first cell has in a line of its own stands above the rows that have it. */
function tableText({ heads, rows, numbers = [] }: Extract<RichBlock, { readonly kind: "table" }>): string {
  let above = "";
  const lines = rows.flatMap(([first = "", ...cells]): TextRow[] => {
    const [name = "", ...titles] = plain(first).split("\n").reverse();
    const title = titles.join(" ");
    const isNew = title !== "" && title !== above;
    above = title;
    const line = [name, ...cells.map(plain)];
    return isNew ? [title, line] : [line];
  });
  const columns = heads.map((head, i) =>
    numbers.includes(i) ? right(plain(head)) : { title: plain(head), wrapFrom: WRAP_FROM },
  );
  return textTable(columns, lines, terminalWidth()).text;
}

function plain(text: RichText): string {
  if (typeof text === "string") return text;
  return text
    .map((span) =>
      typeof span === "string" ? span : "code" in span ? span.code : "strong" in span ? span.strong : "\n",
    )
    .join("");
}
