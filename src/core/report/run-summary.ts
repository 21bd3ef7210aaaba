import { SUMMARY_HEAD } from "../artifacts/names.js";
import { clientServerSteps } from "../client/index.js";
import { findingsText, runInsights, type Insights } from "../insights/index.js";
import { displayName, loadWindowText, NS_PER_SECOND, toEpoch } from "../model/index.js";
import { endpointOverview, staticFacts, tileSteps, type Tile } from "../query/index.js";
import { currentWindow } from "../stats/index.js";
import type { Run } from "../store/index.js";
import { bullets, documentMarkdown, heading, paragraph, type RichBlock, type RichText } from "../text/index.js";
import { runDocument } from "./run-document.js";

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
 * A run for a reader without this program, and how to open its files. Markdown, in steps that yield the share done.
 * @param known what is absent is computed here
 */
export function* runSummarySteps(
  run: Run,
  files: readonly SummarizedFile[],
  known: KnownOfRun = {},
): Generator<number | void, string> {
  const insights = known.insights ?? (yield* runInsights({ kind: "samples", run }));
  const client = yield* clientServerSteps(run);
  const tiles = known.tiles ?? (yield* tileSteps(run));
  const { store, load, metadata } = run;
  const window = currentWindow(run);
  const text = documentMarkdown([
    ...runDocument({
      title: metadata.label ?? "Server metrics",
      window,
      ...(load !== undefined && run.windowRule === "load" ? { measured: loadWindowText(load) } : {}),
      facts: staticFacts(run),
      endpoints: store.endpoints.map(({ id, url, rows, failures }) => ({
        url,
        displayName: displayName(url),
        ...endpointOverview(run, id),
        scrapes: rows - failures,
        failures,
      })),
      phases: run.phases.map(({ name }) => name),
      marks: run.marks.map(({ time, label }) => ({ seconds: Number(time - window.start) / NS_PER_SECOND, label })),
      isCut: run.newest > 0 && toEpoch(run.newest, store.origin) < window.end,
      findings: findingsText(insights),
      tiles,
      client,
    }),
    ...howToOpen(files),
  ]);
  return `${SUMMARY_HEAD}${metadata.benchmarkId} -->\n${text}`;
}

function howToOpen(files: readonly SummarizedFile[]): readonly RichBlock[] {
  const parquet = files.find(({ format }) => format === "parquet");
  return [
    heading("Files"),
    bullets<RichText>(files.map(({ name, format }) => [{ code: name }, `: ${HOLDS[format] ?? format}`])),
    paragraph<RichText>([
      "Open any of them in VS Code with the extension Server Metrics, or print one: ",
      { code: "server-metrics show FILE" },
      ". They have the layout of AIPerf's files.",
    ]),
    ...(parquet === undefined
      ? []
      : [
          {
            kind: "code" as const,
            lines: [
              `duckdb -c "SELECT metric_name, count(*) FROM '${parquet.name}' GROUP BY ALL"`,
              `python -c "import pandas; print(pandas.read_parquet('${parquet.name}').head())"`,
            ],
          },
        ]),
  ];
}
