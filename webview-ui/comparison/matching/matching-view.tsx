import { useMemo, useRef, useState } from "preact/hooks";
import type { AppliedRule, Comparison, ComparisonSettings, UnmatchedSeries } from "../../../src/protocol/comparison.js";
import { Placeholder, ProblemLine } from "../../components/message.js";
import { Select } from "../../components/select.js";
import { hostOf, plural } from "../../format/text.js";
import { useAction } from "../../state/action.js";
import { Middle } from "../../components/middle.js";
import { labelsText } from "../../tables/model.js";
import { ROW_HEIGHT, useVirtualRows } from "../../tables/virtual-rows.js";
import { useComparison } from "../context.js";
import { appliedText, LABEL_MODES, withRule } from "./rules.js";
import { RunSwatch } from "../run-swatch.js";

/** How series were matched, changeable, and what was left over on either side. */
export function MatchingView({
  comparison,
  settings,
}: {
  readonly comparison: Comparison;
  readonly settings: ComparisonSettings;
}) {
  return (
    <div class="matching">
      <Rules comparison={comparison} settings={settings} />
      <Unmatched comparison={comparison} />
    </div>
  );
}

function Rules({
  comparison: { rules, baseline, candidates },
  settings,
}: {
  readonly comparison: Comparison;
  readonly settings: ComparisonSettings;
}) {
  const { store } = useComparison();
  const action = useAction();
  const labels = [baseline, ...candidates].map(({ label }) => label);
  const own = new Set(settings.labelRules.map(({ label }) => label));
  return (
    <section aria-label="Matching rules" class="matching-section">
      <h3 class="section-title">Labels that merely identify</h3>
      <p class="muted section-text">
        Series are compared with those of the same name, type and labels. These labels say who reports a series, not
        what it is about: choose what becomes of each.
      </p>
      {action.problem.value !== undefined && <ProblemLine problem={action.problem.value} />}
      {rules.length === 0 ? (
        <p class="muted">No series has such a label: all labels were matched as they are.</p>
      ) : (
        <div class="config-scroller">
          <table class="config rules" aria-label="Rules for labels">
            <thead>
              <tr>
                <th scope="col">Label</th>
                <th scope="col">Rule</th>
                <th scope="col">Applied</th>
                {labels.map((label, i) => (
                  <th key={label} scope="col">
                    <RunSwatch position={i} />
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rules.map((rule) => (
                <tr key={rule.label}>
                  <th scope="row">{rule.label}</th>
                  <td title={LABEL_MODES.find(({ value }) => value === rule.mode)?.meaning}>
                    <Select
                      label={`Rule for ${rule.label}`}
                      value={rule.mode}
                      options={LABEL_MODES.map(({ value, text }) => ({ value, text }))}
                      onSelect={(value) => {
                        const mode = LABEL_MODES.find((one) => one.value === value)?.value;
                        if (mode !== undefined)
                          action.start(
                            store.client.call("configure", {
                              labelRules: withRule(settings.labelRules, rule.label, mode),
                            }),
                          );
                      }}
                    />
                  </td>
                  <td>{`${appliedText(rule)}${own.has(rule.label) ? ", as you set it" : ""}`}</td>
                  {labels.map((label, i) => (
                    <Values key={label} rule={rule} side={i} />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {settings.labelRules.length > 0 && (
        <vscode-button
          appearance="secondary"
          onClick={() => action.start(store.client.call("configure", { labelRules: [] }))}
        >
          Reset Rules
        </vscode-button>
      )}
    </section>
  );
}

const VALUES_SHOWN = 4;

/** Values of a label on one side; paired ones stand in the same order on all. */
function Values({ rule, side }: { readonly rule: AppliedRule; readonly side: number }) {
  const values = rule.values[side] ?? [];
  const shown = values.slice(0, VALUES_SHOWN).map((value) => (value === "" ? "–" : hostOf(value)));
  return (
    <td title={values.join("\n")}>
      {shown.length === 0 ? <span class="muted">none</span> : shown.join(", ")}
      {values.length > VALUES_SHOWN && <span class="muted">{` and ${values.length - VALUES_SHOWN} more`}</span>}
    </td>
  );
}

function sideName(series: UnmatchedSeries, { baseline, candidates }: Comparison): string {
  return series.side === "baseline" ? baseline.label : (candidates[series.candidate]?.label ?? "");
}

function Unmatched({ comparison }: { readonly comparison: Comparison }) {
  const [text, setText] = useState("");
  const [side, setSide] = useState("");
  const all = useMemo(
    () =>
      comparison.unmatched.map((series) => {
        const name = sideName(series, comparison);
        const labels = [
          hostOf(series.endpointUrl),
          ...(series.labels.length > 0 ? [labelsText(series.labels)] : []),
        ].join(" ");
        return {
          series,
          name,
          labels,
          haystack: [series.family, series.type, labels, series.reason].join("\n").toLowerCase(),
        };
      }),
    [comparison],
  );
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const rows = all.filter(
    (one) => (side === "" || one.name === side) && words.every((word) => one.haystack.includes(word)),
  );
  const scroller = useRef<HTMLDivElement>(null);
  const { items, totalSize } = useVirtualRows(scroller, rows.length);
  const sides = [...new Set(all.map(({ name }) => name))];
  return (
    <section aria-label="Unmatched series" class="matching-section">
      <h3 class="section-title">Unmatched series</h3>
      {all.length === 0 ? (
        <p class="muted">Every series has its counterpart in all runs.</p>
      ) : (
        <>
          <div class="table-tools">
            <input
              class="input table-filter"
              type="search"
              aria-label="Filter unmatched series"
              placeholder="Filter: words, or label=value"
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
            {sides.length > 1 && (
              <Select
                label="Side"
                value={side}
                options={[
                  { value: "", text: "Both sides" },
                  ...sides.map((name) => ({ value: name, text: `Only in ${name}` })),
                ]}
                onSelect={setSide}
              />
            )}
            <span class="table-count muted">
              {rows.length === all.length
                ? plural(all.length, "series", "series")
                : `${rows.length.toLocaleString("en-US")} of ${plural(all.length, "series", "series")}`}
            </span>
          </div>
          {rows.length === 0 && <Placeholder problem={{ severity: "info", reason: "No series passes the filter." }} />}
          <div
            class="grid-scroller unmatched-scroller"
            ref={scroller}
            tabIndex={0}
            role="region"
            aria-label="Unmatched series, scrollable"
            hidden={rows.length === 0}
          >
            <div
              class="grid"
              role="table"
              aria-label="Unmatched series"
              aria-rowcount={rows.length + 1}
              style={{
                "--grid-columns": "minmax(16ch, 3fr) minmax(10ch, 2fr) minmax(12ch, 4fr) minmax(16ch, 5fr)",
                minWidth: "620px",
              }}
            >
              <div class="grid-head" role="rowgroup">
                <div class="grid-row" role="row">
                  {["Metric", "Only in", "Series", "Reason"].map((title) => (
                    <div key={title} class="grid-cell unsorted" role="columnheader">
                      {title}
                    </div>
                  ))}
                </div>
              </div>
              <div class="grid-body" role="rowgroup" style={{ height: `${totalSize}px` }}>
                {items.map((item) => {
                  const one = rows[item.index];
                  if (one === undefined) return null;
                  return (
                    <div
                      key={item.key}
                      class={`grid-row ${item.index % 2 === 1 ? "odd" : ""}`}
                      role="row"
                      aria-rowindex={item.index + 2}
                      style={{ transform: `translateY(${item.index * ROW_HEIGHT}px)` }}
                    >
                      {[one.series.family, one.name, one.labels, one.series.reason].map((value, i) => (
                        <div key={i} class="grid-cell text" role="cell" title={value}>
                          <Middle text={value} />
                        </div>
                      ))}
                    </div>
                  );
                })}
              </div>
            </div>
          </div>
        </>
      )}
    </section>
  );
}
