import { VERDICT_TEXT } from "../../../src/core/compare/report/report.js";
import type { Verdict } from "../../../src/protocol/comparison.js";
import { Icon } from "../../components/icon.js";
import { VERDICT_LOOKS } from "../words.js";

/** A verdict's icon and word. */
export function VerdictMark({ verdict }: { readonly verdict: Verdict }) {
  return (
    <span class={`verdict verdict-${verdict}`}>
      <Icon name={VERDICT_LOOKS[verdict].icon} /> {VERDICT_TEXT[verdict]}
    </span>
  );
}
