import { t } from "@vscode/l10n";
import { Fragment } from "preact";
import { useState } from "preact/hooks";
import type { ConfigurationDifference, IdentifiedComparison } from "../../../src/protocol/comparison.js";
import { PlainTable } from "../../components/plain-table.js";
import { plural } from "../../../src/core/text/plural.js";
import { RunColumnHead } from "../run-swatch.js";

const SOURCES: readonly { readonly source: ConfigurationDifference["source"]; readonly title: string }[] = [
  { source: "provenance", title: t("Where the runs came from") },
  { source: "input_config", title: t("Benchmark") },
  { source: "server", title: t("Reported by the servers") },
];

/** What was configured differently, value beside value. */
export function Configuration({
  comparison: { configuration, baseline, candidates, runIds },
}: {
  readonly comparison: IdentifiedComparison;
}) {
  // Beside two runs there is room for it, on a page of some width: beneath them it would push the rows out of sight.
  const [isWide] = useState(() => window.matchMedia("(min-width: 1000px)").matches);
  if (configuration.length === 0) return <span class="muted">{t("Nothing was configured differently.")}</span>;
  const labels = [baseline, ...candidates].map(({ label }) => label);
  const [first, ...others] = SOURCES.filter(({ source }) => configuration.some((one) => one.source === source));
  return (
    <details class="fold" open={isWide && candidates.length === 1 && configuration.length <= 5}>
      <summary>{plural(configuration.length, t("configuration difference"), t("configuration differences"))}</summary>
      <PlainTable
        label={t("Configuration differences")}
        heads={
          <>
            <th scope="col">{others.length === 0 ? first?.title : t("Setting")}</th>
            {labels.map((label, i) => (
              <RunColumnHead key={label} run={runIds[i]} label={label} />
            ))}
          </>
        }
      >
        {SOURCES.map(({ source, title }) => {
          const own = configuration.filter((one) => one.source === source);
          return own.length === 0 ? null : (
            <Fragment key={source}>
              {others.length > 0 && (
                <tr class="config-source">
                  <th scope="colgroup" colSpan={labels.length + 1}>
                    {title}
                  </th>
                </tr>
              )}
              {own.map(({ name, values }) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  {values.map((value, i) => (
                    <td key={i} class={i > 0 && value !== values[0] ? "config-changed" : ""}>
                      {value === null ? <span class="muted">{t("not set")}</span> : value}
                    </td>
                  ))}
                </tr>
              ))}
            </Fragment>
          );
        })}
      </PlainTable>
    </details>
  );
}
