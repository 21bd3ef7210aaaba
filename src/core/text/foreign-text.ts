/*
 * Text that comes from an endpoint, a file, a label or a path may be written to act on whoever reads it. Before it is
 * shown it goes through the function of the place where it is shown. Nothing is cut out: what could act is written out.
 */

/**
 * C0 but tab and line feed, DEL, C1 (U+009B is CSI), what turns the direction of writing, and what nobody sees but a
 * model reads: characters without width, variation selectors, tags (Unicode's Default_Ignorable_Code_Point).
 */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\p{DI}/gu;

/**
 * For plain text, be it a terminal, a log, a tooltip without Markdown or a model: characters that control or are not
 * seen are written as `\u001b`, which is also what JSON calls them, so that JSON stays the same JSON. Line feeds and
 * tabs remain.
 */
export function plainText(text: string): string {
  return text.replace(UNSEEN, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/** As `plainText`, on one line. */
export function oneLine(text: string): string {
  return plainText(text.replace(/\s*[\r\n\u0085\u2028\u2029]+\s*/g, " "));
}

/** For labels of the workbench (pick lists, trees, the status bar), where `$(zap)` is drawn as an icon. */
export function iconFree(text: string): string {
  return oneLine(text).replace(/\$\(/g, "$ (");
}

/**
 * For the workbench's notifications, progress and prompts, where `[x](command:y)` is a link that runs, and nothing can
 * be escaped: the two halves of a link are set apart. What is shown as progress may also appear in the status bar.
 */
export function linkFree(text: string): string {
  return iconFree(text).replace(/\]\(/g, "] (");
}

/** For running text in Markdown and in table cells: no character of it acts as Markdown, HTML or an icon. */
export function markdownText(text: string): string {
  return oneLine(text)
    .replace(/\s+/g, " ")
    .replace(/[\\`*_{}[\]()#+\-.!|<>~$&:@]/g, "\\$&");
}

/** As `markdownText`, for a report that people also read as it is written: only what acts within a cell is escaped. */
export function markdownCell(text: string): string {
  return oneLine(text).replace(/[\\|<>*_`[\]~$&]/g, "\\$&");
}

/**
 * The lines of a table in Markdown. Its cells stand as they are: foreign text in them has been escaped.
 * @param numbers columns that are aligned to the right, by their place
 */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  numbers: readonly number[] = [],
): string[] {
  const rule = head.map((_, i) => (numbers.includes(i) ? "--:" : "---"));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`);
}

/**
 * A code span, in a table cell too: its fence is longer than any run of backticks in the text (CommonMark 6.1), and a
 * pipe is escaped even there (GitHub's tables).
 */
export function markdownCode(text: string): string {
  const plain = oneLine(text).replace(/\|/g, "\\|");
  const longest = Math.max(0, ...(plain.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  // A space at both ends is taken off again; without one, a backtick there would lengthen the fence.
  const space = /^`|`$|^ .* $/.test(plain) || plain === "" ? " " : "";
  return `${fence}${space}${plain}${space}${fence}`;
}

/** Markdown whose foreign parts are escaped. */
export class Markdown {
  constructor(readonly text: string) {}
}

/**
 * Markdown of our own around foreign text, for the workbench: every value but Markdown itself is escaped. Icons are
 * looked for after Markdown was read, when the backslash before a `$` is gone.
 */
export function markdown(parts: TemplateStringsArray, ...values: readonly (string | number | Markdown)[]): Markdown {
  const text = values.map((value) => (value instanceof Markdown ? value.text : markdownText(iconFree(String(value)))));
  return new Markdown(String.raw({ raw: parts }, ...text));
}
