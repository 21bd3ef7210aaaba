import { InvalidArgumentError } from "@commander-js/extra-typings";
import type { Capture } from "../../engine/index.js";
import { withFile } from "../../files/opener.js";
import { numberIn } from "../options/numbers.js";
import { note } from "../print/terminal.js";
import { messageOf } from "../../core/text/errors.js";

const POLL_MS = 100;

export interface TimedMark {
  readonly seconds: number;
  readonly label: string;
}

interface Steps {
  readonly mark?: readonly TimedMark[];
  readonly phaseFromFile?: string;
}

/** Marks and phases as they come, of the command line and of a file. @returns what ends it */
export function followSteps(capture: Capture, { mark = [], phaseFromFile }: Steps): () => void {
  // One that comes as the capture ends is none any more.
  const begun = (step: Promise<void>) => step.catch((error: unknown) => note(`note: ${messageOf(error)}`));
  const timers = mark.map(({ seconds: after, label }) =>
    setTimeout(() => void begun(capture.addMark(label)), Math.max(0, after - capture.elapsedSeconds) * 1000),
  );
  const unfollow =
    phaseFromFile === undefined ? undefined : followPhases(phaseFromFile, (name) => begun(capture.beginPhase(name)));
  return () => {
    for (const timer of timers) clearTimeout(timer);
    unfollow?.();
  };
}

/** `30:concurrency 8`. @throws InvalidArgumentError */
export function markArgument(text: string, before: readonly TimedMark[] = []): readonly TimedMark[] {
  const colon = text.indexOf(":");
  const label = text.slice(colon + 1).trim();
  if (colon <= 0 || label === "") throw new InvalidArgumentError("write a mark as seconds:label, such as 30:half.");
  return [...before, { seconds: numberIn(text.slice(0, colon), { min: 0, max: 1_000_000, unit: "seconds" }), label }];
}

/**
 * Follows a file to which a load generator appends the name of each of its steps, a line when the step begins. Of lines
 * that were there before, the last one counts. The file may appear later, and be written anew.
 * @returns what ends it, and says so where no phase began
 */
function followPhases(path: string, onPhase: (name: string) => Promise<void>): () => void {
  let at = 0;
  let isFirst = true;
  let appeared = false;
  let began = false;
  let ended = false;
  let timer: NodeJS.Timeout | undefined;
  const look = async () => {
    const read = await appended(path, at);
    at = read?.end ?? 0;
    appeared ||= read !== undefined;
    const names = (read?.text ?? "").split("\n").map((line) => line.trim());
    const named = names.filter((name) => name !== "");
    for (const name of isFirst ? named.slice(-1) : named) {
      if (ended) break;
      began = true;
      await onPhase(name);
    }
    isFirst = false;
    if (!ended) timer = setTimeout(() => void look(), POLL_MS);
  };
  void look();
  return () => {
    ended = true;
    clearTimeout(timer);
    if (began) return;
    const why = appeared ? "no complete line was written to it" : "there was no such file";
    note(`note: no phase of ${path} began: ${why} during the capture.`);
  };
}

/** The whole lines behind `from`, of a file that has become shorter all; undefined when there is none to read. */
function appended(path: string, from: number): Promise<{ readonly text: string; readonly end: number } | undefined> {
  return withFile(path, undefined, async (file) => {
    const start = file.size < from ? 0 : from;
    const bytes = await file.bytesAt(start, 1 << 20);
    const whole = bytes.lastIndexOf(0x0a) + 1;
    return { text: new TextDecoder().decode(bytes.subarray(0, whole)), end: start + whole };
  }).catch(() => undefined);
}
