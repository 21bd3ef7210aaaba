import { SUMMARY_HEAD } from "../artifacts/names.js";
import { clientServerMarkdown, clientServerSteps } from "../client/index.js";
import { insightsMarkdown, runInsights, type Insights } from "../insights/index.js";
import { displayName, loadWindowText, NS_PER_SECOND, toEpoch } from "../model/index.js";
import { endpointOverview, staticFacts, tileSteps, type Tile } from "../query/index.js";
import { currentWindow } from "../stats/index.js";
import type { Run } from "../store/index.js";
import { markdownCell, markdownTable } from "../text/index.js";
import { grouped, plural } from "../text/plural.js";
import { keyFigure } from "./key-figures.js";

/** A file that a summary names. */
export interface SummarizedFile {
  readonly name: string;
  readonly format: string;
}

/** What was computed of a run before. */
export interface KnownOfRun {
  readonly insights?: Insights;
  readonly tiles?: readonly Tile[];
}

const HOLDS: Readonly<Record<string, string>> = {
  json: "statistics and timeslices of every series",
  csv: "statistics of every series, for spreadsheets",
  jsonl: "every scrape as it came, also those outside of the measured window",
  parquet: "every sample of the measured window, for DuckDB and pandas",
  openmetrics: "every sample, for Prometheus",
};

/**
 * A run for a reader without this program: what ran, what stands out, key figures with their units, and how to open the
 * files. Markdown, in steps that yield the share done.
 * @param known what is absent is computed here
 */
export function* runSummarySteps(
  run: Run,
  files: readonly SummarizedFile[],
  known: KnownOfRun = {},
): Generator<number | void, string> {
  const insights = known.insights ?? (yield* runInsights({ kind: "samples", run }));
  const client = clientServerMarkdown(yield* clientServerSteps(run));
  const figures = (known.tiles ?? (yield* tileSteps(run))).map(keyFigure);
  return [
    `${SUMMARY_HEAD}${run.metadata.benchmarkId} -->`,
    `# ${markdownCell(run.metadata.label ?? "Server metrics")}`,
    "",
    ...whatRan(run),
    "",
    insightsMarkdown(insights).trimEnd(),
    "",
    ...(figures.length === 0
      ? []
      : [
          "## Key figures",
          "",
          "Percentiles are estimates from buckets. In brackets: the range that holds the true value in 90 % of the cases.",
          "",
          ...markdownTable(
            ["Metric", "Statistic", "Value", "Remark", "Family"],
            figures.map(({ title, statistic, value, remark, family }) =>
              [title, statistic, value, remark, family].map(markdownCell),
            ),
          ),
          "",
        ]),
    ...(client === "" ? [] : [client, ""]),
    ...howToOpen(files),
  ].join("\n");
}

function whatRan(run: Run): string[] {
  const { store, marks, load, windowRule } = run;
  const { start, end } = currentWindow(run);
  const iso = (time: bigint) =>
    `${new Date(Number(time / 1_000_000n)).toISOString().slice(0, 19).replace("T", " ")} UTC`;
  const seconds = Number(end - start) / NS_PER_SECOND;
  const facts = staticFacts(run).map(({ name, value }) => `${name} ${value}`);
  const endpoints = store.endpoints.map((axis) => {
    const { servers, series } = endpointOverview(run, axis.id);
    const failed = axis.failures;
    return [
      displayName(axis.url),
      servers.join(", "),
      grouped(series),
      grouped(axis.rows - failed),
      failed === 0 ? "" : `${grouped(failed)} failed`,
    ].map(markdownCell);
  });
  const measured = load !== undefined && windowRule === "load" ? ` ${sentence(loadWindowText(load))}` : "";
  return [
    `${iso(start)} to ${iso(end)}, ${seconds.toFixed(1)} s.${measured}`,
    "",
    ...(facts.length === 0 ? [] : [`${markdownCell([...new Set(facts)].join(" · "))}`, ""]),
    ...markdownTable(["Endpoint", "Server", "Series", "Scrapes", ""], endpoints),
    ...(run.phases.length === 0 ? [] : ["", `Phases: ${run.phases.map(({ name }) => markdownCell(name)).join(", ")}.`]),
    ...(marks.length === 0
      ? []
      : [
          "",
          `${plural(marks.length, "mark")}:`,
          "",
          ...marks.map(({ time, label }) => `- ${secondsAfter(time, start)}: ${markdownCell(label)}`),
        ]),
    ...(run.newest > 0 && toEpoch(run.newest, store.origin) < end ? ["", "The run ended before its window did."] : []),
  ];
}

function secondsAfter(time: bigint, start: bigint): string {
  return `${(Number(time - start) / NS_PER_SECOND).toFixed(1)} s`;
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

function howToOpen(files: readonly SummarizedFile[]): string[] {
  const parquet = files.find(({ format }) => format === "parquet");
  return [
    "## Files",
    "",
    ...files.map(({ name, format }) => `- \`${name}\`: ${HOLDS[format] ?? format}`),
    "",
    "Open any of them in VS Code with the extension Server Metrics, or print one: `server-metrics show FILE`. They have the layout of AIPerf's files.",
    ...(parquet === undefined
      ? []
      : [
          "",
          "```",
          `duckdb -c "SELECT metric_name, count(*) FROM '${parquet.name}' GROUP BY ALL"`,
          `python -c "import pandas; print(pandas.read_parquet('${parquet.name}').head())"`,
          "```",
        ]),
    "",
  ];
}
