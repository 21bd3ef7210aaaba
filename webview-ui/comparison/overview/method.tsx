import { t } from "@vscode/l10n";
import { shareText } from "../../../src/core/compare/report/report.js";
import type { Comparison } from "../../../src/protocol/comparison.js";
import { TextList } from "../../components/text-list.js";

/** How it was compared, and what remains unseen: one quiet line that opens. */
export function Method({ comparison: { method } }: { readonly comparison: Pick<Comparison, "method"> }) {
  const percent = (share: number) => shareText(share).replace("+", "");
  const [first = ""] = method.notes;
  return (
    <details class="fold notes">
      <summary title={first}>{t`Method: ${first}`}</summary>
      <TextList
        items={[
          ...method.notes,
          t`Threshold ${percent(method.threshold)}, ${percent(method.confidence)} intervals, at most ${percent(method.falseDiscoveryRate)} of the findings expected to be false.`,
        ]}
      />
    </details>
  );
}
