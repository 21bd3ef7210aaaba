import { describe, expect, it } from "vitest";
import type { FileFormat } from "../../../../../src/core/model/index.js";
import {
  copyQuery,
  familySummaries,
  StoredRun,
  type CopiedQuery,
  type QueryFile,
  type QueryLanguage,
} from "../../../../../src/core/query/index.js";
import { complete, runStatistics } from "../../../../../src/core/stats/index.js";
import { querySubject } from "../../../../../webview-ui/menu/family-menu.js";
import { offsetNs } from "../../../../../src/core/model/index.js";
import { summaryGauges } from "../../../../../src/stores/pushgateway.js";
import { RunBuilder } from "../../../../support/run-builder.js";

const BUSY = "llamacpp:n_busy_slots_per_decode";

/** As older llama.cpp types it, and as today's does. */
function run(type: "counter" | "gauge") {
  const builder = new RunBuilder().window(0, 2);
  for (const [second, value] of [4, 3, 2].entries())
    builder.scrape(second, [
      { name: BUSY, type, value },
      { name: "llamacpp:n_decode", type: "counter", value: 50 * second },
    ]);
  return builder.run;
}

const file = (format: FileFormat): QueryFile => ({ path: `/run/x.${format}`, format, bytes: 100 });
const FILES = [file("parquet"), file("json"), file("csv"), file("jsonl")];

function copied(
  type: "counter" | "gauge",
  language: QueryLanguage,
  files: readonly QueryFile[],
  stored = false,
): CopiedQuery {
  const captured = run(type);
  const families = stored
    ? familySummaries(new StoredRun(complete(runStatistics(captured, { unitOf: () => undefined }))))
    : familySummaries(captured);
  const family = families.find(({ name }) => name === BUSY);
  if (family === undefined) throw new Error("the family is missing");
  const header = {
    originNs: "1765000000000000000",
    profilingStart: offsetNs(0),
    profilingEnd: offsetNs(2e9),
    sliceDurationSeconds: 1,
    endpoints: [],
  };
  return copyQuery(language, querySubject(header, family, [], { shows: "statistics" }), files);
}

describe("an average that its server calls a counter", () => {
  it("is queried where its values are, as the gauge that it is", () => {
    for (const language of ["duckdb", "pandas", "jq"] as const) {
      const query = copied("counter", language, FILES);
      expect(query).toMatchObject({ kind: "query", text: expect.stringContaining("x.jsonl") as string });
      expect(query.kind === "query" ? query.text : "").not.toMatch(/rise|rate/);
      for (const stored of [false, true])
        expect(copied("counter", language, FILES.slice(0, 3), stored)).toEqual({
          kind: "none",
          reason:
            "The server calls this average a counter, and the file holds how it rose: its values are in a JSONL file.",
        });
    }
    const promql = `avg_over_time(${BUSY}[2s] @ 1765000002.000)`;
    for (const stored of [false, true])
      expect(copied("counter", "promql", [], stored)).toEqual({ kind: "query", text: promql });
  });

  it("is a gauge like any other where the server calls it one", () => {
    expect(copied("gauge", "duckdb", FILES)).toMatchObject({ text: expect.stringContaining("x.parquet") as string });
  });

  it("is pushed as the gauge that it is", () => {
    const { text } = summaryGauges(run("counter"));
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    expect(names).toContain(`run:${BUSY}:avg`);
    expect(names).not.toContain(`run:${BUSY}:rate`);
    expect(names).toContain("run:llamacpp:n_decode:rate");
  });
});
