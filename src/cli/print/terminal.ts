import { SingleBar } from "cli-progress";
import { type Problem } from "../../core/model/index.js";
import { oneLine, plainText } from "../../core/text/index.js";

/** Progress on standard error: a bar on a terminal, nothing in a log. */
export interface Progress {
  update(fraction: number, text: string): void;
  done(): void;
}

/** A bar on standard error while it is a terminal; nothing elsewhere. */
export function startProgress(): Progress {
  if (!process.stderr.isTTY) return { update: () => undefined, done: () => undefined };
  const bar = new SingleBar({
    format: "{bar} {percentage}% {text}",
    hideCursor: true,
    clearOnComplete: true,
    stream: process.stderr,
  });
  bar.start(1, 0, { text: "" });
  return {
    update: (fraction, text) => bar.update(Math.min(1, fraction), { text: oneLine(text) }),
    done: () => bar.stop(),
  };
}

/*
 * All that is printed passes here: what an endpoint or file wrote must not steer the terminal. The escapes are those of
 * JSON, so that JSON remains the same.
 */

/** A warning or piece of progress for the person watching; results go to standard output. */
export function note(text: string): void {
  process.stderr.write(plainText(`${text}\n`));
}

/** To standard output, with a line's end and without control characters. */
export function print(text: string): void {
  process.stdout.write(plainText(text.endsWith("\n") ? text : `${text}\n`));
}

/** A warning, or what is merely worth knowing, with its remedy. */
export function noteProblem({ severity, reason, remedy }: Problem, endpoint?: string): void {
  const subject = endpoint === undefined || reason.includes(endpoint) ? "" : `${endpoint}: `;
  note(`${severity === "info" ? "note" : "warning"}: ${subject}${reason} ${remedy ?? ""}`.trimEnd());
}
