import { expect, it } from "vitest";
import type { LibraryRun } from "../../../../src/core/library/index.js";
import type { SweepRuns } from "../../../../src/core/sweep/index.js";
import { reportedRuns } from "../../../../src/engine/report/reported-runs.js";
import { packReport, unpackReport, type ReportedRuns } from "../../../../src/protocol/index.js";
import { offeredColumns, shownRuns } from "../../../../src/protocol/shown-runs.js";
import { reportedRuns as answersOf } from "../../../../webview-ui/report/runs.js";

const ABOUT = { title: "", made: "", version: "", files: [], leftOut: [], redacted: [] };

function runOf(id: string, label: string, p99: number): LibraryRun {
  return {
    id,
    files: [`/data/${id}.json`],
    modified: 1e12,
    about: {
      benchmarkId: id,
      startMs: 1e12 + p99,
      seconds: 60,
      label,
      endpoints: ["http://gpu-7:8000/metrics"],
      configured: { concurrency: "16" },
      provenance: { "git.commit": id },
    },
    measured: {
      servers: ["vLLM"],
      models: ["llama"],
      facts: {},
      points: [
        {
          path: `/data/${id}.json`,
          configuration: "",
          load: { kind: "concurrency", value: 16 },
          tokenThroughput: { value: 1000 / p99 },
          latencies: { ttft: { p99: { value: p99 } } },
          source: "server",
        },
      ],
      values: new Map([
        ["ttft.p99", p99],
        ["tokens", 1000 / p99],
        ["vllm:num_requests_running avg", 3],
      ]),
    },
    note: { tags: ["nightly"] },
  };
}

it("the runs of a folder are filtered, sorted and grouped in a report as in the editor", () => {
  const runs = [runOf("a", "slow", 0.9), runOf("b", "fast", 0.2), runOf("c", "middle", 0.5)];
  const text = packReport({
    view: "library",
    about: ABOUT,
    answers: [{ name: "runs", params: {}, outcome: { result: reportedRuns("/data", runs) } }],
  });
  const [answer] = unpackReport(text).answers;
  const outcome = answer?.outcome;
  const answers = answersOf(
    (outcome !== undefined && "result" in outcome ? outcome.result : undefined) as ReportedRuns,
  );
  // Nobody writes into a report: columns for that are left out where they are empty.
  for (const choice of [{}, { sort: "ttft.p99" }, { filter: "ttft.p99 < 600ms" }, { grouped: "repeats" as const }])
    expect(answers["libraryRuns"]?.(choice)).toEqual(shownRuns("/data", runs, choice, []));
  const swept = answers["sweepRuns"]?.({ choice: { filter: "ttft.p99 < 600ms", sort: "ttft.p99" } }) as SweepRuns;
  expect(swept).toEqual({ runs: runs.slice(1).flatMap(({ measured }) => measured?.points ?? []), skipped: [] });
  const names = (list: unknown) => (list as readonly { readonly name: string }[]).map(({ name }) => name);
  expect(names(answers["libraryColumns"]?.({}))).toEqual(
    names(offeredColumns(runs)).filter((name) => !name.startsWith("vllm:")),
  );
});
