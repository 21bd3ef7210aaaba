import { parser } from "@prometheus-io/lezer-promql";
import { describe, expect, it } from "vitest";
import { epochNs, makeLabels, type MetricType } from "../../../../../src/core/model/index.js";
import type { QUERY_LANGUAGES } from "../../../../../src/core/query/index.js";
import { copyQuery, type QueryFile, type QuerySubject } from "../../../../../src/core/query/index.js";

const series = (endpointUrl: string, labels: Record<string, string>) => ({
  endpointUrl,
  labels: makeLabels(Object.entries(labels)),
});
const A = series("http://10.0.0.1:8000/metrics", { engine: "0", model: 'a"b\\c' });
const B = series("https://gpu.example/metrics", { engine: "1", model: "x.y*" });

const subject = (type: MetricType, more: Partial<QuerySubject> = {}): QuerySubject => ({
  family: { name: "vllm:e2e_seconds", type, isInfo: false },
  all: [A, B],
  shows: "course",
  window: { start: epochNs(1_765_000_000_000_000_000n), end: epochNs(1_765_000_090_500_000_000n), exact: false },
  sliceSeconds: 5,
  endpoints: 2,
  ...more,
});
const file = (format: QueryFile["format"], path = `/data/run/x.${format}`): QueryFile => ({
  path,
  format,
  bytes: 1000,
});
const promql = (wanted: QuerySubject): string => {
  const copied = copyQuery("promql", wanted, []);
  if (copied.kind === "none") throw new Error(copied.reason);
  return copied.text;
};

/** What the grammar of Prometheus' own editor could not make sense of. */
function faults(text: string): string[] {
  const found: string[] = [];
  parser.parse(text).iterate({
    enter: (node) => {
      if (node.type.isError) found.push(`${node.from}: ${text.slice(node.from, node.to + 10)}`);
    },
  });
  return found;
}

describe("PromQL", () => {
  const all = (["gauge", "unknown", "counter", "histogram"] as const).flatMap((type) =>
    (["course", "statistics"] as const).flatMap((shows) =>
      [undefined, [A], [B], [A, B]].map((chosen) =>
        subject(type, { shows, ...(chosen === undefined ? {} : { chosen }) }),
      ),
    ),
  );

  it("is PromQL, of every type, whatever is chosen", () => {
    for (const wanted of all) expect(faults(promql(wanted)), promql(wanted)).toEqual([]);
    expect(faults("rate(a[5m)")).not.toEqual([]);
  });

  it("has names of other characters in quotes, so that none of them ends the selector", () => {
    const odd = [series("http://c", { "k8s.pod": "a" }), series("http://c", { "k8s.pod": 'b"} or up' })];
    const family = { name: 'a.b"} or up{x="', type: "gauge", isInfo: false } as const;
    const wanted = (type: MetricType) =>
      subject(type, { family: { ...family, type }, all: [...odd, A], chosen: odd, endpoints: 1 });
    expect(promql(wanted("gauge"))).toBe('{"a.b\\"} or up{x=\\"", "k8s.pod"=~"a|b\\"\\\\} or up"}');
    expect(promql(wanted("histogram"))).toContain('sum by (le, "k8s.pod") (rate({"a.b\\"} or up{x=\\"_bucket", ');
    for (const type of ["gauge", "counter", "histogram"] as const) expect(faults(promql(wanted(type)))).toEqual([]);
  });

  it("gives the p99 of each series that is shown, by the buckets", () => {
    expect(promql(subject("histogram"))).toBe(
      "histogram_quantile(0.99, sum by (le, instance, engine, model) (rate(vllm:e2e_seconds_bucket[5m])))",
    );
    expect(promql(subject("histogram", { chosen: [B] }))).toBe(
      'histogram_quantile(0.99, sum by (le) (rate(vllm:e2e_seconds_bucket{instance="gpu.example:443", engine="1", model="x.y*"}[5m])))',
    );
  });

  it("finds a counter whether its server writes _total or not, with values as text and alternatives as patterns", () => {
    expect(promql(subject("counter"))).toBe('rate({__name__=~"vllm:e2e_seconds(_total)?"}[5m])');
    expect(promql(subject("gauge", { chosen: [A] }))).toBe(
      'vllm:e2e_seconds{instance="10.0.0.1:8000", engine="0", model="a\\"b\\\\c"}',
    );
    expect(promql(subject("gauge", { all: [A, B, series("http://c", {})], chosen: [A, B] }))).toContain(
      'model=~"a\\"b\\\\\\\\c|x\\\\.y\\\\*"',
    );
  });

  it("asks for statistics over the window, and for labels of the server's own by the name Prometheus gives them", () => {
    expect(promql(subject("gauge", { shows: "statistics" }))).toBe(
      "avg_over_time(vllm:e2e_seconds[91s] @ 1765000090.500)",
    );
    const own = series("http://a:1/metrics", { instance: "x" });
    expect(
      promql(
        subject("gauge", { all: [own, series("http://a:1/metrics", { instance: "y" })], chosen: [own], endpoints: 1 }),
      ),
    ).toBe('vllm:e2e_seconds{exported_instance="x"}');
  });
});

describe("a copied query", () => {
  it("says why there is none", () => {
    const reason = (
      language: (typeof QUERY_LANGUAGES)[number],
      files: readonly QueryFile[],
      wanted = subject("gauge"),
    ) => {
      const copied = copyQuery(language, wanted, files);
      return copied.kind === "none" ? copied.reason : "";
    };
    expect(reason("jq", [])).toMatch(/stop it/);
    expect(reason("jq", [file("parquet")])).toMatch(/JSON or JSONL/);
    expect(reason("duckdb", [file("csv")])).toMatch(/Parquet/);
    for (const language of ["jq", "duckdb", "pandas"] as const)
      for (const format of ["snapshot", "scrape-log", "earlier-csv", "earlier-json"] as const)
        expect(reason(language, [file(format)])).not.toBe("");
    expect(
      reason("duckdb", [file("jsonl")], subject("gauge", { family: { name: "x_info", type: "gauge", isInfo: true } })),
    ).toMatch(/metadata/);
  });

  it("takes the file that the language reads best", () => {
    const files = [file("json"), file("csv"), file("jsonl"), file("parquet")];
    const taken = (language: "duckdb" | "pandas" | "jq") => {
      const copied = copyQuery(language, subject("gauge"), files);
      return copied.kind === "query" ? /x\.(\w+)/.exec(copied.text)?.[1] : undefined;
    };
    expect([taken("duckdb"), taken("pandas"), taken("jq")]).toEqual(["parquet", "parquet", "jsonl"]);
  });

  it("unpacks what is gzip", () => {
    for (const path of ["/data/a.jsonl.gz", "/data/a.journal"]) {
      const gz = file(path.endsWith(".gz") ? "jsonl" : "journal", path);
      const texts = (["jq", "duckdb", "pandas"] as const).map((language) => {
        const copied = copyQuery(language, subject("gauge"), [gz]);
        return copied.kind === "query" ? copied.text : "";
      });
      expect(texts.map((text) => /gzip/.test(text))).toEqual([true, true, true]);
    }
  });
});
