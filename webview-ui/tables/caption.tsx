import { t } from "@vscode/l10n";
import { hostOf } from "../format/text.js";
import { elideMiddle } from "../shorten/text-group.js";
import type { GridModel } from "./model.js";

/** What all rows have in common, and what kind of numbers percentiles are: said once. */
export function TableCaption({ id, model }: { readonly id: string; readonly model: GridModel }) {
  const { endpointUrl, labels, inEveryRow } = model.common;
  return (
    <p class="table-caption muted" id={id}>
      {endpointUrl !== undefined && <span title={endpointUrl}>{hostOf(endpointUrl)}</span>}
      {labels.length > 0 && (
        <span title={labels.map(([name, value]) => `${name}=${value}`).join("\n")}>
          {t`common labels: ${labels.map(([name, value]) => `${name}=${elideMiddle(value, 40)}`).join(", ")}`}
          {!inEveryRow && (labels.length === 1 ? t(" (where a row has it)") : t(" (where a row has them)"))}
        </span>
      )}
      {model.estimated && (
        <span>
          {t("Percentiles are estimates from the histogram's buckets; hover or focus one for what is certain.")}
        </span>
      )}
    </p>
  );
}
