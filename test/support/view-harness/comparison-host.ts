import { UserError } from "../../../src/core/text/errors.js";
import {
  comparisonCsv,
  comparisonJson,
  comparisonDocument,
  compareRuns,
  firstRequest,
  setLabel,
  type Comparison,
} from "../../../src/core/compare/index.js";
import { groupBy } from "../../../src/core/math/index.js";
import { documentMarkdown } from "../../../src/core/text/index.js";
import type { Run } from "../../../src/core/store/index.js";
import { runAnswers } from "../../../src/engine/answers.js";
import { identified, rowHeatmaps, rowLines, type RowSource } from "../../../src/engine/comparison/charts.js";
import { savedHeader } from "../../../src/engine/header.js";
import type {
  ComparedRunStatus,
  ComparisonSettings,
  ComparisonState,
  ComparisonViewEvents,
  ComparisonViewRequests,
  IdentifiedComparison,
} from "../../../src/protocol/comparison.js";
import { ChannelServer, type Handlers } from "../../../src/protocol/index.js";
import { makeRun, SCENARIOS, type Recipe } from "./compared-runs.js";
import { setUpPage } from "./page.js";

/*
 * The comparison page's other half. Runs are made up, all that is said of them is computed by the project's own core,
 * at once. ?theme=dark|light|hc
 * ?scenario=two|five|engines|same|early|large|reading|failed|incomparable|sweep6|sweep12|sweep24
 */

interface ComparisonHarness {
  readonly calls: { readonly name: string; readonly params: unknown }[];
  /** Requests of these names are rejected. */
  readonly failing: Set<string>;
  /** What is read again is read until then. */
  finishReading(): void;
  state(): ComparisonState;
  comparison(): Comparison | undefined;
}

declare global {
  interface Window {
    comparisonHarness: ComparisonHarness;
  }
}

const scenario = new URLSearchParams(location.search).get("scenario") ?? "two";
const { port } = setUpPage(`comparison-state-${scenario}`);

interface Held {
  readonly status: ComparedRunStatus;
  readonly run: Run | undefined;
}

function held(recipe: Recipe): Held {
  const run = makeRun(recipe);
  const header = savedHeader(run, []);
  const { profilingStart, originMs } = header;
  const request = firstRequest(run);
  const source = {
    path: `/data/sweep/${recipe.label.replaceAll(" ", "-")}/server_metrics_export.parquet`,
    label: recipe.label,
    ...(recipe.live === undefined ? {} : { live: recipe.live }),
  };
  return {
    run,
    status: {
      id: source.path,
      source,
      label: recipe.label,
      state: {
        kind: "ready",
        header,
        anchors: { profilingStart, originMs, ...(request === undefined ? {} : { firstRequest: request }) },
      },
    },
  };
}

const recipes = SCENARIOS[scenario] ?? SCENARIOS["two"] ?? [];
let runs: Held[] = recipes.map(held);
const [first, second] = runs;
if (scenario === "reading" && first !== undefined && second !== undefined) {
  runs = [first, { run: undefined, status: { ...second.status, state: { kind: "reading", fraction: 0.42 } } }];
}
if (scenario === "failed" && second !== undefined) {
  const error = {
    code: "unreadable-file",
    message: "broken.parquet ends in the middle of a row group.",
    remedy: "Export the run again, or choose its JSONL beside it.",
  };
  runs = [
    ...runs,
    {
      run: undefined,
      status: {
        id: "/data/broken.parquet",
        source: { path: "/data/broken.parquet" },
        label: "broken.parquet",
        state: { kind: "failed", error },
      },
    },
  ];
}
const waiting: Recipe = { label: "added later", seed: 9, latency: 1.05, later: 9000 };

let settings: ComparisonSettings = { threshold: 0.03, labelRules: [], directions: {}, objectives: [] };
let revision = 0;
let comparing: number | undefined;
let latest: IdentifiedComparison | undefined;
let problem: ComparisonState["problem"];

function state(): ComparisonState {
  return {
    runs: runs.map(({ status }) => status),
    settings,
    revision,
    ...(comparing === undefined ? {} : { comparing }),
    ...(problem === undefined ? {} : { problem }),
  };
}

/** Ends the readings that are under way. */
let finish: (() => void)[] = [];

/** What could not be read fails once more with the same reason, then its file is whole; read until `finishReading`. */
function reread(id: string): void {
  const position = runs.findIndex(({ status }) => status.id === id);
  const before = runs[position];
  if (before === undefined) return;
  const whole =
    calls.filter(({ name }) => name === "readAgain").length > 1 && before.run === undefined
      ? held({ ...waiting, label: "broken.parquet" })
      : before;
  runs = runs.with(position, {
    run: undefined,
    status: { ...before.status, state: { kind: "reading", fraction: 0.1 } },
  });
  problem = undefined;
  server.emit("state", state());
  finish.push(() => {
    runs = runs.with(position, whole);
    compare();
  });
}

function finishReading(): void {
  const ending = finish;
  finish = [];
  for (const end of ending) end();
}

/** As the engine does: says that it compares, then what came out. */
function compare(): void {
  const there = runs.filter(({ run }) => run !== undefined);
  const sets = [...groupBy(there, ({ status }) => status.set ?? status.id).values()];
  const ready = sets.map((repeats) => ({
    label: setLabel(repeats.map(({ status }) => status.label)),
    runs: repeats.flatMap(({ run, status }) =>
      run === undefined
        ? []
        : [
            {
              kind: "samples" as const,
              label: status.label,
              run,
              ...(status.source.live === true ? { live: true as const } : {}),
            },
          ],
    ),
  }));
  const [baseline, ...candidates] = ready;
  problem = undefined;
  comparing = 0;
  server.emit("state", state());
  setTimeout(() => {
    comparing = undefined;
    if (ready.length < 2 && scenario !== "reading") {
      latest = undefined;
      problem = {
        code: "nothing-to-compare",
        message:
          runs.length > 1
            ? `1 of ${runs.length} runs could not be read, so there is nothing to compare.`
            : "One run alone cannot be compared.",
        remedy: "Add another run.",
      };
    } else if (scenario === "incomparable") {
      problem = {
        code: "comparison",
        message: "These runs have no metric family in common: main holds vLLM, chunked prefill holds SGLang.",
        remedy: "Choose runs of the same server.",
      };
    } else if (baseline !== undefined && candidates.length > 0 && scenario !== "reading") {
      const ids = sets.map((own) => new Map(own.map(({ status }) => [status.label, status.id])));
      latest = identified(finished(compareRuns(baseline, candidates, settings)), ids);
      revision++;
    }
    server.emit("state", state());
  }, 20);
}

function finished(steps: Generator<number, Comparison>): Comparison {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

const never = new AbortController().signal;
const calls: { name: string; params: unknown }[] = [];
const failing = new Set<string>(scenario === "broken" ? ["comparison", "runChart"] : []);

function answering<K extends keyof ComparisonViewRequests>(
  name: K,
  answer: (
    params: ComparisonViewRequests[K]["params"],
  ) => ComparisonViewRequests[K]["result"] | Promise<ComparisonViewRequests[K]["result"]>,
) {
  return async (params: ComparisonViewRequests[K]["params"]): Promise<ComparisonViewRequests[K]["result"]> => {
    calls.push({ name, params });
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (failing.has(name))
      throw new UserError("the engine of this comparison does not answer", "Reload the window.", {
        code: "engine-gone",
      });
    return answer(params);
  };
}

/** What the engine's own answers about a row are made from. */
function rowSource(): RowSource {
  return {
    comparison: known(),
    answersOf: (id) => {
      const run = runs.find(({ status }) => status.id === id)?.run;
      return run === undefined ? undefined : runAnswers(run);
    },
  };
}

function known(): IdentifiedComparison {
  if (latest === undefined) throw new UserError("There is no comparison yet.", undefined, { code: "no-comparison" });
  return latest;
}

const LAYOUT_KEY = `comparison-layout-${scenario}`;
const handlers: Handlers<ComparisonViewRequests> = {
  comparisonState: answering("comparisonState", state),
  comparison: answering("comparison", () => ({ revision, comparison: known() })),
  configure: answering("configure", (changes) => {
    settings = { ...settings, ...changes };
    compare();
    return null;
  }),
  arrange: answering("arrange", ({ order, sets }) => {
    runs = order.flatMap((id) => runs.find(({ status }) => status.id === id) ?? []);
    if (sets !== undefined)
      runs = runs.map(({ run, status }) => {
        const [set = status.id] = sets.find((ids) => ids.includes(status.id)) ?? [];
        return { run, status: { ...status, set } };
      });
    compare();
    return null;
  }),
  readAgain: answering("readAgain", ({ runs: ids }) => {
    for (const id of ids) reread(id);
    return null;
  }),
  runChart: answering("runChart", (question) => rowLines(rowSource(), question, never)),
  runHeatmap: answering("runHeatmap", (question) => rowHeatmaps(rowSource(), question, never)),
  runCheck: answering("runCheck", () => []),
  findingChanges: answering("findingChanges", () => []),
  assertions: answering("assertions", () => []),
  report: answering("report", ({ format, rows }) => ({ text: report(format, rows) })),
  copy: answering("copy", () => null),
  saveReport: answering("saveReport", () => null),
  addCandidate: answering("addCandidate", () => {
    runs = [...runs, held(waiting)];
    compare();
    return null;
  }),
  openRun: answering("openRun", () => null),
  exportReport: answering("exportReport", () => null),
  addRepeats: answering("addRepeats", () => null),
  loadComparisonLayout: answering("loadComparisonLayout", () => sessionStorage.getItem(LAYOUT_KEY)),
  saveComparisonLayout: answering("saveComparisonLayout", ({ layout }) => {
    sessionStorage.setItem(LAYOUT_KEY, layout);
    return null;
  }),
};

function report(format: "markdown" | "csv" | "json", rows: readonly string[] | undefined): string {
  const comparison = known();
  const wanted = rows === undefined ? undefined : new Set(rows);
  const chosen = wanted === undefined ? comparison.rows : comparison.rows.filter(({ id }) => wanted.has(id));
  if (format === "markdown")
    return documentMarkdown(comparisonDocument(comparison, wanted === undefined ? {} : { rows: chosen }));
  return format === "csv"
    ? comparisonCsv({ ...comparison, rows: chosen })
    : comparisonJson(comparison, { rows: chosen });
}

const server = new ChannelServer<ComparisonViewRequests, ComparisonViewEvents>(port, handlers);
window.comparisonHarness = { calls, failing, finishReading, state, comparison: () => latest };
compare();
