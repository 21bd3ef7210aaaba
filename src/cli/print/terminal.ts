import type { createLogUpdate } from "log-update";
import type { Problem } from "../../core/model/index.js";
import { oneLine, plainText } from "../../core/text/index.js";

/** Progress on standard error: drawn on a terminal, nothing in a log. */
export interface ProgressLine {
  /**
   * @param fraction done; undefined where the end is not known
   * @param below further lines
   */
  update(fraction: number | undefined, text: string, below?: string): void;
  done(): void;
}

/** A line with a bar, and what stands below it, on standard error while it is a terminal; nothing elsewhere. */
export function startProgress(): ProgressLine {
  if (!process.stderr.isTTY) return { update: () => undefined, done: () => undefined };
  void import("log-update").then(({ createLogUpdate }) => (drawing ??= createLogUpdate(process.stderr)));
  let drawnAt = -Infinity;
  return {
    update: (fraction, text, below = "") => {
      if (performance.now() - drawnAt < REDRAW_MS) return;
      drawnAt = performance.now();
      const done = fraction === undefined ? "" : `${bar(Math.max(0, Math.min(1, fraction)))} `;
      draw(plainText(`${done}${oneLine(text)}${below === "" ? "" : `\n\n${below}`}`));
    },
    done: () => draw(""),
  };
}

/** Shows how far work is until it has ended. @param doing what it does */
export async function withProgress<T>(
  doing: string,
  work: (onProgress: (fraction: number) => void) => Promise<T>,
): Promise<T> {
  const progress = startProgress();
  return work((fraction) => progress.update(fraction, doing)).finally(() => progress.done());
}

const REDRAW_MS = 100;
const BAR_WIDTH = 30;

function bar(fraction: number): string {
  const full = Math.round(fraction * BAR_WIDTH);
  return `${"█".repeat(full)}${"░".repeat(BAR_WIDTH - full)} ${Math.round(100 * fraction)} %`;
}

/** Loaded once something is to be drawn: it would take a tenth of every start. */
let drawing: ReturnType<typeof createLogUpdate> | undefined;
/** What is drawn at the end of the terminal now. */
let drawn = "";

/** @param text "" for nothing */
function draw(text: string): void {
  if (drawing === undefined) return;
  if (text !== "") drawing(text);
  else if (drawn !== "") {
    drawing.clear();
    drawing.done();
  }
  drawn = text;
}

/** Messages stand above what is drawn, and share no line with it. */
function above(write: () => void): void {
  if (drawn !== "") drawing?.clear();
  write();
  if (drawn !== "") drawing?.(drawn);
}

/*
 * All that is printed passes here: what an endpoint or file wrote must not steer the terminal. The escapes are those of
 * JSON, so that JSON remains the same.
 */

/** A warning or piece of progress for the person watching; results go to standard output. */
export function note(text: string): void {
  above(() => process.stderr.write(plainText(`${text}\n`)));
}

/** To standard output, with a line's end and without control characters. */
export function print(text: string): void {
  above(() => process.stdout.write(plainText(text.endsWith("\n") ? text : `${text}\n`)));
}

/** A warning, or what is merely worth knowing, with its remedy. */
export function noteProblem({ severity, reason, remedy }: Problem, endpoint?: string): void {
  const subject = endpoint === undefined || reason.includes(endpoint) ? "" : `${endpoint}: `;
  note(`${severity === "info" ? "note" : "warning"}: ${subject}${reason} ${remedy ?? ""}`.trimEnd());
}
