import { conceptById, formatValue } from "../../core/catalog/index.js";
import { sparkline } from "../../core/compare/index.js";
import type { EngineFigure, EngineGroup, Over } from "../../core/query/index.js";
import { displayName } from "../../core/model/index.js";
import { oneLine } from "../../core/text/index.js";
import type { EndpointReport } from "../../collect/index.js";
import { right, textTable } from "../print/table.js";
import type { EngineRow, Seen } from "./session.js";

/** Columns of the fleet, by importance: the narrower a terminal, the fewer of the last. */
const COLUMNS = [
  { title: "RUN", concept: "running", statistic: "avg", rank: 0 },
  { title: "WAIT", concept: "waiting", statistic: "avg", rank: 0 },
  { title: "KV", concept: "kv-usage", statistic: "avg", rank: 0 },
  { title: "TTFT p50", concept: "ttft", statistic: "p50_estimate", rank: 3 },
  { title: "TTFT p99", concept: "ttft", statistic: "p99_estimate", rank: 1 },
  { title: "ITL p50", concept: "inter-token-latency", statistic: "p50_estimate", rank: 4 },
  { title: "ITL p99", concept: "inter-token-latency", statistic: "p99_estimate", rank: 2 },
  { title: "E2E p50", concept: "e2e-latency", statistic: "p50_estimate", rank: 7 },
  { title: "E2E p99", concept: "e2e-latency", statistic: "p99_estimate", rank: 6 },
  { title: "TOK/S", concept: "generation-tokens", statistic: "rate", rank: 1 },
  { title: "REQ/S", concept: "finished", statistic: "rate", rank: 5 },
] as const;

type Column = (typeof COLUMNS)[number];

function figureOf(row: EngineRow, { concept, statistic }: Column): EngineFigure | undefined {
  return row.figures.find((figure) => figure.concept === concept && figure.statistic === statistic);
}

/** Digits that are enough to see what goes on. */
const DIGITS = 2;

function cell(figure: EngineFigure | undefined, over: Over, unit = figure?.unit, digits?: number): string {
  if (figure === undefined) return "";
  const value = figure[over];
  if (Number.isNaN(value)) return "-";
  return `${figure.atLeast?.[over] === true ? "≥ " : ""}${formatValue(value, unit, digits)}`;
}

/** The head of a column says what is counted. */
function narrowCell(figure: EngineFigure | undefined, over: Over): string {
  const unit = ["seconds", "ratio", "percent"].find((one) => one === figure?.unit) ?? "";
  return cell(figure, over, unit, DIGITS);
}

/** The first line is the head, then one line a row. */
export function fleetLines(
  rows: readonly EngineRow[],
  endpoints: readonly EndpointReport[],
  over: Over,
  width: number | undefined,
): readonly string[] {
  const columns = [
    over === "now" ? "ENGINE (now)" : "ENGINE (so far)",
    ...COLUMNS.map(({ title, rank }) => ({ ...right(title), ...(rank === 0 ? {} : { rank }) })),
  ];
  const gone = new Map(endpoints.map((endpoint) => [endpoint.url, stateOf(endpoint)]));
  const cells = rows.map((row) => {
    const states = row.endpointUrls.map((url) => gone.get(url) ?? "");
    const state = states.length === 1 ? (states[0] ?? "") : "";
    return [
      `${engineName(row)}${state === "" ? "" : ` ${state}`}`,
      // What it was is not what it is.
      ...COLUMNS.map((column) => (state !== "" && over === "now" ? "-" : narrowCell(figureOf(row, column), over))),
    ];
  });
  return textTable(columns, cells, width).text.split("\n");
}

/** Of an endpoint that does not answer: that it does not. */
function stateOf({ state }: EndpointReport): string {
  return state === "up" ? "" : state === "disabled" ? "(left out)" : `(${state})`;
}

/** Points of a course that are shown. */
const COURSE_POINTS = 24;

/** All figures of one engine: now, so far, and their course. */
export function engineLines(row: EngineRow, width: number | undefined): readonly string[] {
  const table = textTable(
    ["METRIC", right("NOW"), right("SO FAR"), { title: "COURSE", rank: 1 }],
    row.figures.map((figure) => [
      titleOf(figure),
      cell(figure, "now"),
      cell(figure, "whole"),
      sparkline(Array.from(figure.sparkline.slice(-COURSE_POINTS)), []),
    ]),
    width,
  );
  return table.text.split("\n");
}

function titleOf({ concept, statistic }: EngineFigure): string {
  return `${conceptById(concept).title}${statistic.endsWith("_estimate") ? ` ${statistic.replace("_estimate", "")}` : ""}`;
}

/** How long it has been looked at, and who answers. */
export function headLine({ endpoints, elapsedSeconds, loadSeconds }: Seen): string {
  const up = endpoints.filter(({ state }) => state === "up").length;
  const load = loadSeconds === undefined ? "" : ` · measured: the load since ${clock(loadSeconds)}`;
  return `server-metrics top · ${clock(elapsedSeconds)} · ${up}/${endpoints.length} up${load}`;
}

function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

export interface FindingSeen {
  readonly title: string;
  readonly text: string;
  /** "" for none. */
  readonly advice: string;
  readonly color: "red" | "yellow";
}

/** Why endpoints do not answer, and what was found, each text a line. */
export function findingsSeen({ insights, endpoints }: Seen): readonly FindingSeen[] {
  const failing = endpoints.flatMap(({ displayName: name, state, problems: [problem] }): FindingSeen[] => {
    if (state === "up" || problem === undefined) return [];
    const { reason, remedy = "" } = problem;
    return [{ title: oneLine(name), text: oneLine(reason), advice: oneLine(remedy), color: "red" }];
  });
  const found = (insights?.findings ?? []).map(({ title, text, advice }): FindingSeen => {
    return { title, text: oneLine(text), advice: oneLine(advice), color: "yellow" };
  });
  return [...failing, ...found];
}

/** How an engine is called: by its endpoint, and among several by its own label; all of a server by how many. */
export function engineName({ endpointUrls, engine, server }: EngineGroup): string {
  const [first = ""] = endpointUrls;
  if (server !== undefined) return `${server}, all ${endpointUrls.length}`;
  const host = displayName(first)
    .replace(/^https?:\/\//, "")
    .replace(/\/metrics$/, "");
  return engine === undefined ? host : `${host} #${engine}`;
}
