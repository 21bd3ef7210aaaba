import { METRIC_TYPES, type SeriesId } from "../../src/core/model/index.js";
import { isFields, type Fields } from "../../src/core/text/index.js";
import type { ChartChoice, TableLayout, ViewLayout } from "../../src/protocol/index.js";
import { savedMode, savedSettings } from "./chart-mode.js";
import { choice } from "./layout.js";

/** Reads what an earlier version of the view, or another program, may have left; undefined when it is no layout. */
export function parseSavedLayout(value: unknown): ViewLayout | undefined {
  if (!isFields(value) || !Array.isArray(value["charts"])) return undefined;
  const charts: ChartChoice[] = [];
  for (const chart of value["charts"] as unknown[]) {
    if (!isFields(chart) || typeof chart["family"] !== "string") continue;
    charts.push(
      choice({
        family: chart["family"],
        series: listOf(chart["series"]).filter(isSeriesId),
        also: listOf(chart["also"]).filter((family) => typeof family === "string"),
        mode: savedMode(chart["mode"]),
        settings: savedSettings(chart["settings"]),
      }),
    );
  }
  const { tab, tables, sliceSeconds, only, filter, zoom, folds, marked, changedAt } = value;
  const pinned = listOf(value["pinned"]).filter((family) => typeof family === "string");
  return {
    charts,
    tab: typeof tab === "string" ? tab : "overview",
    ...(pinned.length === 0 ? {} : { pinned }),
    ...(isFields(tables)
      ? { tables: { statistics: parseTable(tables["statistics"]), timeslices: parseTable(tables["timeslices"]) } }
      : {}),
    ...(typeof sliceSeconds === "number" && sliceSeconds > 0 ? { sliceSeconds } : {}),
    ...(typeof only === "string" ? { only } : {}),
    ...(typeof filter === "string" ? { filter } : {}),
    ...(isFields(zoom) && typeof zoom["from"] === "number" && typeof zoom["to"] === "number"
      ? { zoom: { from: zoom["from"], to: zoom["to"] } }
      : {}),
    ...(isFields(folds) ? { folds: parseFolds(folds) } : {}),
    ...(marked === false ? { marked } : {}),
    ...(typeof changedAt === "number" && Number.isFinite(changedAt) ? { changedAt } : {}),
  };
}

function parseTable(value: unknown): TableLayout {
  if (!isFields(value)) return {};
  const { subject, sorting, label } = value;
  const widths = parseWidths(value["widths"]);
  const type = isFields(subject) ? METRIC_TYPES.find((one) => one === subject["type"]) : undefined;
  return {
    ...(isFields(subject) && typeof subject["family"] === "string"
      ? { subject: { family: subject["family"] } }
      : type === undefined
        ? {}
        : { subject: { type } }),
    ...(isFields(sorting) && typeof sorting["key"] === "string"
      ? { sorting: { key: sorting["key"], descending: sorting["descending"] === true } }
      : {}),
    ...(isFields(label) && typeof label["name"] === "string" && typeof label["value"] === "string"
      ? { label: { name: label["name"], value: label["value"] } }
      : {}),
    ...(Object.keys(widths).length > 0 ? { widths } : {}),
  };
}

function parseFolds(value: Fields): Readonly<Record<string, boolean>> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, open]) => (typeof open === "boolean" ? [[name, open]] : [])),
  );
}

/** Widths of columns by their keys, pixels; what is none is left out. */
export function parseWidths(value: unknown): Readonly<Record<string, number>> {
  if (!isFields(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, width]) => (typeof width === "number" && width > 0 ? [[key, width]] : [])),
  );
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isSeriesId(value: unknown): value is SeriesId {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}
