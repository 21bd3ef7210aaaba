import { clientServerDocument, isClientEndpoint, clientServerSteps, type ClientServer } from "../client/index.js";
import { findingsDocument, findingsText, runInsights, type FindingsText, type Insights } from "../insights/index.js";
import { NS_PER_SECOND, displayName, loadWindowText, toEpoch, type Problem } from "../model/index.js";
import { endpointOverview, staticFacts, tileSteps, type Tile } from "../query/index.js";
import {
  bullets,
  codeText,
  heading,
  paragraph,
  table,
  documentMarkdown,
  type RichBlock,
  type RichText,
} from "../text/index.js";
import { grouped, plural } from "../text/plural.js";
import { formatValue } from "../catalog/index.js";
import { SUMMARY_HEAD } from "../artifacts/names.js";
import { currentWindow } from "../stats/index.js";
import type { Run } from "../store/index.js";

/** What a run's document tells of it. */
export interface RunOutline {
  readonly title: string;
  /** What is measured, in nanoseconds since the epoch. */
  readonly window: { readonly start: bigint; readonly end: bigint };
  /** "measured: 11.5 s of load out of 20.5 s captured". */
  readonly measured?: string;
  readonly facts: readonly { readonly name: string; readonly value: string }[];
  readonly endpoints: readonly OutlinedEndpoint[];
  readonly phases: readonly string[];
  /** Times in seconds after the start of the window. */
  readonly marks: readonly { readonly seconds: number; readonly label: string }[];
  /** The window ends after the newest sample. */
  readonly isCut?: boolean;
  readonly problems?: readonly Problem[];
  /** Absent where too little is at hand to look for them. */
  readonly findings?: FindingsText;
  readonly tiles: readonly Tile[];
  readonly client: readonly Omit<ClientServer, "window">[];
}

interface OutlinedEndpoint {
  readonly url: string;
  readonly displayName: string;
  readonly servers: readonly string[];
  readonly series?: number;
  /** Those that answered. */
  readonly scrapes: number;
  readonly failures: number;
}

/** A run for a reader without this program: what ran, what stands out, and key figures with their units. */
export function runDocument({ title, findings, tiles, client, ...ran }: RunOutline): readonly RichBlock[] {
  const figures = tiles.map(keyFigure);
  return [
    heading(title, 1),
    ...whatRan(ran),
    ...(findings === undefined ? [] : findingsDocument(findings)),
    ...(figures.length === 0
      ? []
      : [
          heading("Key figures"),
          paragraph(
            "Percentiles are estimates from buckets. In brackets: the range that holds the true value in 90 % of the cases.",
          ),
          table<RichText>(
            ["Metric", "Statistic", "Value", "Remark", "Family"],
            figures.map((one) => [one.title, one.statistic, one.value, one.remark, codeText(one.family)]),
          ),
        ]),
    ...clientServerDocument(client),
  ];
}

function whatRan(ran: Omit<RunOutline, "title" | "findings" | "tiles" | "client">): readonly RichBlock[] {
  const { start, end } = ran.window;
  const iso = (time: bigint) =>
    `${new Date(Number(time / 1_000_000n)).toISOString().slice(0, 19).replace("T", " ")} UTC`;
  const seconds = Number(end - start) / NS_PER_SECOND;
  const measured = ran.measured === undefined ? "" : ` ${sentence(ran.measured)}`;
  const facts = [...new Set(ran.facts.map(({ name, value }) => `${name} ${value}`))];
  return [
    paragraph(`${iso(start)} to ${iso(end)}, ${seconds.toFixed(1)} s.${measured}`),
    ...(facts.length === 0 ? [] : [paragraph(facts.join(" · "))]),
    table(
      ["Endpoint", "Server", "Series", "Scrapes", ""],
      ran.endpoints.map(({ url, displayName, servers, series, scrapes, failures }) => [
        displayName,
        servers.join(", "),
        series === undefined ? "" : grouped(series),
        // Of a benchmark client they are its requests.
        isClientEndpoint(url) ? "" : grouped(scrapes),
        failures === 0 ? "" : `${grouped(failures)} failed`,
      ]),
    ),
    ...(ran.phases.length === 0 ? [] : [paragraph(`Phases: ${ran.phases.join(", ")}.`)]),
    ...(ran.marks.length === 0
      ? []
      : [
          paragraph(`${plural(ran.marks.length, "mark")}:`),
          bullets(ran.marks.map(({ seconds, label }) => `${seconds.toFixed(1)} s: ${label}`)),
        ]),
    ...(ran.isCut === true ? [paragraph("The run ended before its window did.")] : []),
    ...(ran.problems ?? []).map(({ reason }) => paragraph(sentence(reason.replace(/\.$/, "")))),
  ];
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** A key metric as a line of a table: its value with its 90 % interval, and what is to be said of it. */
export function keyFigure(tile: Tile) {
  const { title, family, statistic, value, unit, atLeast, interval, note = "", watch, watchReason = "" } = tile;
  const range =
    interval === undefined || !(interval[1] > interval[0])
      ? ""
      : ` [${formatValue(interval[0], unit)}, ${formatValue(interval[1], unit)}]`;
  return {
    title,
    family,
    statistic: tile.combined === undefined ? statistic : `${statistic}, ${tile.combined}`,
    value: Number.isNaN(value) ? "-" : `${atLeast === true ? "≥ " : ""}${formatValue(value, unit)}${range}`,
    remark: watch === "none" ? note : `${watch}: ${watchReason}`,
  };
}

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
