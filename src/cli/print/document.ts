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

/** Where first cells are a title and a name, each stands above its rows, however little room there is beside them. */
function tableText({ heads, rows, numbers = [] }: Extract<RichBlock, { readonly kind: "table" }>): string {
  const texts = rows.map((row) => row.map(plain));
  const columns = heads.map((head, i) =>
    numbers.includes(i) ? right(plain(head)) : { title: plain(head), wrapFrom: WRAP_FROM },
  );
  const [first, second, ...others] = columns;
  if (first === undefined || second === undefined || !texts.some(([name]) => name?.includes("\n")))
    return textTable(columns, texts, terminalWidth()).text;
  let above: string | undefined;
  const lines = texts.flatMap(([names = "", ...cells]): TextRow[] => {
    const isNew = names !== above;
    above = names;
    return isNew ? [names.replace("\n", " · "), cells] : [cells];
  });
  return textTable([{ ...second, title: second.title || first.title }, ...others], lines, terminalWidth()).text;
}

function plain(text: RichText): string {
  if (typeof text === "string") return text;
  return text
    .map((span) =>
      typeof span === "string" ? span : "code" in span ? span.code : "strong" in span ? span.strong : "\n",
    )
    .join("");
}
