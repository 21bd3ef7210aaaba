import { describe, expect, it } from "vitest";
import type { FamilySummary, LabelCount } from "../../../../src/protocol/index.js";
import { excerpt, find, searchIndex, type SearchHit, go } from "../../../../webview-ui/search/find.js";
import { EMPTY_LAYOUT, layoutActions, type Layout } from "../../../../webview-ui/state/layout.js";
import { familySummary } from "../../../support/family-summary.js";

const family = (name: string, description: string, more: Partial<FamilySummary> = {}) =>
  familySummary(name, { description, ...more });
const FAMILIES = [
  family("vllm:time_to_first_token_seconds", "Histogram of time to first token.", { type: "histogram" }),
  family("vllm:request_queue_time_seconds", "Time spent in the waiting phase.", { type: "histogram" }),
  family("vllm:num_requests_waiting", "Requests in the queue.", { isKey: true }),
  family("queue_depth", "Depth."),
  family("vllm:cache_config_info", "Configuration.", { isInfo: true }),
];
const LABELS: LabelCount[] = [
  { family: "queue_depth", label: "gpu", value: "0", seriesCount: 3 },
  { family: "queue_depth", label: "gpu", value: "10", seriesCount: 1 },
  { family: "vllm:num_requests_waiting", label: "gpu", value: "0", seriesCount: 2 },
];
const index = searchIndex(FAMILIES, LABELS);
const search = (text: string) => find(index, text, (one) => one.isKey);
const named = (hits: readonly SearchHit[]) =>
  hits.map((hit) => (hit.kind === "label" ? `${hit.name}=${hit.value ?? "*"}` : hit.family.name));

describe("search in a run", () => {
  it("puts names that begin with the word first, and a name before a description", () => {
    expect(named(search("queue").families)).toEqual([
      "queue_depth",
      "vllm:request_queue_time_seconds",
      "vllm:num_requests_waiting",
    ]);
    const { families, descriptions } = search("waiting");
    expect(named(families)).toEqual(["vllm:num_requests_waiting"]);
    expect(named(descriptions)).toEqual(["vllm:request_queue_time_seconds"]);
  });

  it("finds a name by the initials people use for it, and by words in any order and case", () => {
    expect(named(search("ttft").families)).toEqual(["vllm:time_to_first_token_seconds"]);
    expect(named(search("TOKEN first").families)).toEqual(["vllm:time_to_first_token_seconds"]);
    expect(search("token nothing")).toEqual({ families: [], labels: [], descriptions: [] });
  });

  it("counts a label's series over all families, as a whole and by value", () => {
    expect(
      search("gpu").labels.map(
        (hit) => hit.kind === "label" && [hit.value, hit.values, hit.families.length, hit.seriesCount],
      ),
    ).toEqual([
      [undefined, 2, 2, 6],
      ["0", 1, 2, 5],
      ["10", 1, 1, 1],
    ]);
    expect(named(search("gpu=1").labels)).toEqual(["gpu=10"]);
  });

  it("proposes before anything is typed", () => {
    expect(named(search(" ").families)).toEqual(["vllm:num_requests_waiting"]);
  });

  it("finds one of 5,000 label values, and the label as such before all of them", () => {
    const many = searchIndex(
      FAMILIES,
      Array.from({ length: 5000 }, (_, i) => ({
        family: "queue_depth",
        label: "device",
        value: `cuda:${i}`,
        seriesCount: 1,
      })),
    );
    expect(find(many, "cuda:4999", () => false).labels).toHaveLength(1);
    expect(find(many, "device", () => false).labels).toHaveLength(5001);
  });

  it("shows the part of a long description that was found", () => {
    const text = `${"word ".repeat(40)}needle ${"word ".repeat(40)}`;
    expect(excerpt(text, "NEEDLE")).toMatch(/^….*needle.*…$/);
    expect(excerpt("short", "x")).toBe("short");
  });
});

describe("picking a hit", () => {
  const byName = new Map(FAMILIES.map((one) => [one.name, one]));
  const pick = (hit: SearchHit, before: Layout): Layout => {
    let layout = before;
    const actions = layoutActions((change) => (layout = change(layout)));
    go(hit, before, actions, (name) => byName.get(name));
    return layout;
  };
  const [queue] = search("queue").families;
  const hit = (text: string, at: number) => search(text).labels[at]!;

  it("charts a family, or shows it in the table in front", () => {
    expect(pick(queue!, EMPTY_LAYOUT).charts.map((chart) => chart.family)).toEqual(["queue_depth"]);
    expect(pick(queue!, { ...EMPTY_LAYOUT, tab: "statistics" }).tables.statistics).toEqual({
      subject: { family: "queue_depth" },
    });
    expect(pick(queue!, { ...EMPTY_LAYOUT, tab: "timeslices" }).tables.timeslices).toEqual({
      subject: { family: "queue_depth" },
    });
  });

  it("shows an info family, which has no chart, in the table", () => {
    const found = pick(search("cache_config").families[0]!, EMPTY_LAYOUT);
    expect([found.tab, found.charts]).toEqual(["statistics", []]);
  });

  it("filters a table that has rows with the label", () => {
    const filtered = pick(hit("gpu", 1), EMPTY_LAYOUT);
    expect([filtered.tab, filtered.tables.statistics]).toEqual([
      "statistics",
      { subject: { type: "gauge" }, label: { name: "gpu", value: "0" } },
    ]);
    expect(pick(hit("gpu=10", 0), EMPTY_LAYOUT).tables.statistics.subject).toEqual({ family: "queue_depth" });
    const any = pick(hit("gpu", 0), filtered);
    expect([any.tables.statistics, any.filter]).toEqual([{ subject: { type: "gauge" } }, "gpu="]);
    const slices = pick(hit("gpu", 1), {
      ...EMPTY_LAYOUT,
      tab: "timeslices",
      tables: { statistics: {}, timeslices: { subject: { family: "queue_depth" } } },
    });
    expect([slices.tab, slices.tables.timeslices.label]).toEqual(["timeslices", { name: "gpu", value: "0" }]);
  });
});
