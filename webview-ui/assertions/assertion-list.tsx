import { t } from "@vscode/l10n";
import type { CheckResult } from "../../src/protocol/index.js";
import { Icon } from "../components/icon.js";
import { assertionText, outcomeText, resultTitle } from "./text.js";

interface AssertionListProps {
  readonly results: readonly CheckResult[];
  /** Where the results of several families stand together. */
  readonly named?: boolean;
}

/** What the assertions of the settings give, by icon and word. */
export function AssertionList({ results, named = false }: AssertionListProps) {
  if (results.length === 0) return null;
  return (
    <ul class="assertions" aria-label={t("Assertions")}>
      {results.map((result, i) => (
        <li key={i} class={`assertion ${result.passed ? "" : "tone-error"}`} title={resultTitle(result)}>
          <Icon
            name={result.passed ? "pass" : result.undecided === true ? "question" : "error"}
            class={result.passed ? "tone-good" : ""}
          />
          {`${outcomeText(result)}: ${named ? `${result.family ?? result.assertion.family} ` : ""}${assertionText(result)}`}
        </li>
      ))}
    </ul>
  );
}
