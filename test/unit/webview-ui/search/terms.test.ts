import { expect, it } from "vitest";
import { matching } from "../../../../webview-ui/components/search-list.js";
import { differenceModel, filterRows } from "../../../../webview-ui/comparison/differences/rows.js";
import { NO_FILTER, VERDICTS } from "../../../../webview-ui/comparison/layout.js";
import { visibleNodes } from "../../../../webview-ui/details/tree-view.js";
import { find, searchIndex } from "../../../../webview-ui/search/find.js";
import { holdsWords, makeFilter } from "../../../../webview-ui/tables/filter.js";
import { built, compared, noisy } from "../../../support/comparing.js";
import { familySummary } from "../../../support/family-summary.js";

const MEANT = {
  ttft: "vllm:time_to_first_token_seconds",
  itl: "vllm:inter_token_latency_seconds",
  tpot: "vllm:request_time_per_output_token_seconds",
  qps: "vllm:request_success",
  throughput: "vllm:generation_tokens",
  queue: "vllm:num_requests_waiting",
  kv: "vllm:kv_cache_usage_perc",
  oom: "vllm:num_preemptions",
};
const NAMES = [...Object.values(MEANT), "process_open_fds"];
const FAMILIES = NAMES.map((name) => familySummary(name));

const [a, b] = [1, 2].map((seed) =>
  built((...at) => NAMES.flatMap((name) => noisy(name, 5)(...at)), { seed, seconds: 40 }),
);
const { rows } = differenceModel(compared(a!, b!));

/** By what it narrows: the families that each search box of the views finds. */
const BOXES: Record<string, (text: string) => readonly string[]> = {
  "the search of a run": (text) =>
    find(searchIndex(FAMILIES, []), text, () => false).families.flatMap((hit) =>
      hit.kind === "family" ? [hit.family.name] : [],
    ),
  "Add Chart and other lists": (text) =>
    matching(
      NAMES.map((id) => ({ id, text: id })),
      text,
    ).map(({ id }) => id),
  "charts, panels and tiles": (text) => NAMES.filter((name) => holdsWords(text, name)),
  "rows of tables": (text) => NAMES.filter((name) => makeFilter(text)?.({ haystack: name, labels: [] })),
  "differences of a comparison": (text) =>
    filterRows(rows, { ...NO_FILTER, verdicts: VERDICTS, text }).rows.map((one) => one.row.family),
  "trees of details": (text) =>
    visibleNodes(
      NAMES.map((path) => ({ path, key: path, value: path, children: [] })),
      new Set(),
      text,
    ).map(({ node }) => node.path),
};

it.each(Object.keys(BOXES))("what practitioners say finds what they mean among %s", (box) => {
  for (const [term, name] of Object.entries(MEANT)) {
    const found = BOXES[box]?.(term);
    expect(found, term).toContain(name);
    expect(found, term).not.toContain("process_open_fds");
  }
});
