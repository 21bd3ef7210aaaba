import { markdownCell, markdownTable } from "./foreign-text.js";

/** A part of a text for people. All in it is plain text: whoever writes or draws it escapes what could act there. */
export type Block =
  | { readonly kind: "heading"; readonly level: 1 | 2 | 3; readonly text: string }
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly string[] }
  | { readonly kind: "table"; readonly heads: readonly string[]; readonly rows: readonly (readonly string[])[] };

/** @param level 1 is the title of all */
export function heading(text: string, level: 1 | 2 | 3 = 2): Block {
  return { kind: "heading", level, text };
}

export function paragraph(text: string): Block {
  return { kind: "paragraph", text };
}

export function bullets(items: readonly string[]): Block {
  return { kind: "list", items };
}

export function table(heads: readonly string[], rows: readonly (readonly string[])[]): Block {
  return { kind: "table", heads, rows };
}

/** For a pull request or a note; an empty line after each block. */
export function documentMarkdown(blocks: readonly Block[]): string {
  return blocks.map((block) => `${linesOf(block).join("\n")}\n`).join("\n");
}

function linesOf(block: Block): readonly string[] {
  switch (block.kind) {
    case "heading":
      return [`${"#".repeat(block.level)} ${markdownCell(block.text)}`];
    case "paragraph":
      return [markdownCell(block.text)];
    case "list":
      return block.items.map((item) => `- ${markdownCell(item)}`);
    case "table":
      return markdownTable(
        block.heads.map(markdownCell),
        block.rows.map((row) => row.map(markdownCell)),
      );
  }
}
