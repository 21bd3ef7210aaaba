import { inSentence } from "../catalog/display.js";

/** What there is to say of a run without any server, such as the files of a load generator alone. */
export const NO_SERVER = "This run has no metrics of a server, so there was nothing to look for.";

/**
 * What was looked for, and what the run does not tell, for lack of metrics, of replicas or of time.
 * @param checked titles
 */
export function checkedText(checked: readonly string[], unjudged: readonly string[]): string {
  const list = (titles: readonly string[]) => titles.map(inSentence).join("; ");
  return [
    ...(checked.length > 0 ? [`Looked for: ${list(checked)}.`] : []),
    ...(unjudged.length > 0 ? [`This run cannot show whether: ${list(unjudged)}.`] : []),
  ].join(" ");
}
