import type { ComponentChildren } from "preact";

interface PlainTableProps {
  readonly label: string;
  /** Over the table; absent: what stands above it says what it is. */
  readonly caption?: string;
  readonly class?: string;
  /** Variables of its style sheet. */
  readonly style?: Readonly<Record<`--${string}`, number>>;
  /** Cells of the head's row: texts, or whole cells. */
  readonly heads: readonly string[] | ComponentChildren;
  /** Rows, each headed by a `th` of scope "row". */
  readonly children: ComponentChildren;
}

/**
 * The one table beside the grid: it is read as it is, sorted by `SortedTable` only, and scrolls by itself where it has
 * no room.
 */
export function PlainTable({ label, caption, class: name = "", style, heads, children }: PlainTableProps) {
  return (
    <div class="plain-table-frame" tabIndex={0} role="group" aria-label={label}>
      <table class={`plain-table ${name}`} aria-label={label} {...(style === undefined ? {} : { style })}>
        {caption !== undefined && <caption>{caption}</caption>}
        <thead>
          <tr>
            {isTexts(heads)
              ? heads.map((head) => (
                  <th key={head} scope="col">
                    {head}
                  </th>
                ))
              : heads}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function isTexts(heads: PlainTableProps["heads"]): heads is readonly string[] {
  return Array.isArray(heads) && heads.every((head) => typeof head === "string");
}
