import { t } from "@vscode/l10n";
import { fieldsOf } from "../../core/text/index.js";
import { flag, list, shape, soundPart, text } from "../../protocol/guards.js";
import type { ComparedSource, ComparisonState } from "../../protocol/comparison.js";

const kept = list(shape({ path: text }, { label: text, live: flag }));

/** The sources that a page kept with its state (`ComparisonPageState`); none when it kept something else. */
export function sourcesOf(state: unknown): readonly ComparedSource[] {
  const sources = soundPart(kept, fieldsOf(state)["sources"]) ?? [];
  return sources.flatMap(({ path, label, live }) => {
    return path === "" ? [] : [{ path, ...(label === undefined ? {} : { label }), ...(live === true ? { live } : {}) }];
  });
}

/**
 * "Compare: A ↔ B", or of several "Compare: A ↔ 3 runs". One that cannot be compared is left out where that leaves two.
 */
export function titleOf({ runs }: Pick<ComparisonState, "runs">): string {
  const usable = runs.filter(({ state }) => state.kind !== "failed");
  const [baseline, first, ...more] = (usable.length > 1 ? usable : runs).map(({ label }) => shortened(label));
  if (baseline === undefined) return t("Compare");
  if (first === undefined) return t`Compare: ${baseline}`;
  return t`Compare: ${baseline} ↔ ${more.length === 0 ? first : t`${more.length + 1} runs`}`;
}

/** A tab is as wide as its title: longer names would push all other tabs out of sight. Letters. */
const MAX_LABEL = 36;

/** Names of runs differ at their ends, too: the middle goes. */
function shortened(label: string): string {
  if (label.length <= MAX_LABEL) return label;
  const half = MAX_LABEL / 2;
  return `${label.slice(0, half - 1)}…${label.slice(-half)}`;
}
