import { markdownCell, markdownCode, markdownTable } from "./foreign-text.js";

/** A part of a text for people. All in it is plain text: whoever writes or draws it escapes what could act there. */
export type Block<T = string> =
  | { readonly kind: "heading"; readonly level: 1 | 2 | 3; readonly text: T }
  | { readonly kind: "paragraph"; readonly text: T }
  | { readonly kind: "list"; readonly items: readonly T[] }
  | {
      readonly kind: "table";
      readonly heads: readonly T[];
      readonly rows: readonly (readonly T[])[];
      /** Columns of numbers, by their place. */
      readonly numbers?: readonly number[];
    };

/** A part of a line that is set apart. */
export type Span = string | { readonly code: string } | { readonly strong: string } | typeof LINE_BREAK;
export const LINE_BREAK = { break: true } as const;
export type RichText = string | readonly Span[];

/** What Markdown has, too. */
export type RichBlock =
  | Block<RichText>
  | { readonly kind: "quote" | "notes"; readonly lines: readonly RichText[] }
  | { readonly kind: "folded"; readonly summary: string; readonly blocks: readonly RichBlock[] }
  | { readonly kind: "code"; readonly lines: readonly string[] };

/** Text as it is written in a terminal or a file. */
export function codeText(code: string): RichText {
  return [{ code }];
}

/** @param level 1 is the title of all */
export function heading(text: string, level: 1 | 2 | 3 = 2): Block {
  return { kind: "heading", level, text };
}

export function paragraph<T extends RichText>(text: T) {
  return { kind: "paragraph" as const, text };
}

export function bullets<T extends RichText>(items: readonly T[]) {
  return { kind: "list" as const, items };
}

/** @param numbers columns of numbers, by their place */
export function table<T extends RichText>(
  heads: readonly T[],
  rows: readonly (readonly T[])[],
  numbers: readonly number[] = [],
) {
  return { kind: "table" as const, heads, rows, ...(numbers.length === 0 ? {} : { numbers }) };
}

/** For a pull request or a note; an empty line after each block. */
export function documentMarkdown(blocks: readonly RichBlock[]): string {
  return blocks.map((block) => `${linesOf(block).join("\n")}\n`).join("\n");
}

function linesOf(block: RichBlock): readonly string[] {
  switch (block.kind) {
    case "heading":
      return [`${"#".repeat(block.level)} ${inline(block.text)}`];
    case "paragraph":
      return [inline(block.text)];
    case "list":
      return block.items.map((item) => `- ${inline(item)}`);
    case "table":
      return markdownTable(
        block.heads.map(inline),
        block.rows.map((row) => row.map(inline)),
        block.numbers,
      );
    case "quote":
      return block.lines.flatMap((line, i) => [...(i === 0 ? [] : [">"]), `> ${inline(line)}`]);
    case "notes":
      return block.lines.map((line) => `<sub>${inline(line)}</sub>`);
    case "folded":
      return [
        `<details><summary>${markdownCell(block.summary)}</summary>`,
        "",
        documentMarkdown(block.blocks),
        "</details>",
      ];
    case "code":
      return ["```", ...block.lines, "```"];
  }
}

function inline(text: RichText): string {
  return typeof text === "string" ? markdownCell(text) : text.map(spanMarkdown).join("");
}

function spanMarkdown(span: Span): string {
  if (typeof span === "string") return markdownCell(span);
  if ("code" in span) return markdownCode(span.code);
  return "strong" in span ? `**${markdownCell(span.strong)}**` : "<br>";
}
