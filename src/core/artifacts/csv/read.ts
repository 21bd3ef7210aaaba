import {
  boundText,
  boundValue,
  makeLabels,
  METRIC_TYPES,
  RecordedUrls,
  STATISTICS,
  epochNs,
  familyResult,
  type BucketCounts,
  type Labels,
  type MetricType,
  type RunStatistics,
  type SeriesResult,
} from "../../model/index.js";
import { getOrInsert } from "../../math/index.js";
import { CsvRows, type CsvRow } from "./cut-rows.js";
import { originalCell } from "../../text/csv-line.js";
import { NEUTRALIZED, ownColumns } from "./write.js";
import { labelOfColumn } from "./label-columns.js";
import type { ReadStatistics } from "../json/read.js";
import type { LineProblem } from "../jsonl/read.js";
import { messageOf } from "../../text/errors.js";

/** The columns of one section. */
type Section =
  | {
      readonly kind: "series";
      readonly header: readonly string[];
      readonly statistics: readonly (readonly [key: string, at: number])[];
      readonly labels: readonly (readonly [name: string, at: number])[];
      readonly description: number;
      readonly buckets: number;
    }
  | { readonly kind: "info" };

interface InfoSeries {
  readonly endpointUrl: string;
  readonly description: string;
  readonly pairs: Map<string, string>;
}

const LEADING = ["Endpoint", "Type", "Metric", "Unit"];
/** Skipped lines that are kept with their reason; the others are counted. */
const PROBLEMS = 100;
const INFO = ["Endpoint", "Metric", "Key", "Value", "Description"];

/**
 * Reads a CSV artifact as its text comes, statistics as stored: of endpoints it has the displayed name only, of the
 * window nothing.
 */
export class CsvArtifactReader {
  private readonly rows = new CsvRows((row) => this.take(row));
  private readonly comments = new Map<string, string>();
  private readonly families = new Map<
    string,
    {
      readonly name: string;
      readonly type: MetricType;
      readonly description: string;
      readonly unit: string;
      readonly series: SeriesResult[];
    }
  >();
  private readonly infos = new Map<string, InfoSeries[]>();
  private readonly unknown = new Set<string>();
  private readonly urls = new RecordedUrls();
  private section: Section | undefined;
  private sections = 0;
  /** The first that were skipped, and the last line if it is torn. */
  private readonly problems: LineProblem[] = [];
  private skipped = 0;
  private rowsRead = 0;
  /** The last line, without an end of its own, is being taken. */
  private ending = false;

  constructor(private readonly onSchemaVersion: (version: string) => void = () => undefined) {}

  /** @throws Error for a section without a header that is known, with its line */
  push(text: string): void {
    this.rows.push(text);
  }

  /** @throws Error when the file has no section, or only rows that cannot be read */
  end(): ReadStatistics {
    this.endRows();
    const [first] = this.problems;
    if (first !== undefined && this.rowsRead === 0) throw new Error(`line ${first.line}: ${first.message}`);
    if (this.sections === 0 && !this.comments.has("benchmark_id"))
      throw new Error(`it has neither a "# benchmark_id" line nor a section that begins with ${LEADING.join(",")}`);
    const exporter = this.comments.has("aiperf_version")
      ? `AIPerf ${this.comments.get("aiperf_version") ?? ""}`
      : this.comments.get("server_metrics_version");
    const schemaVersion = this.comments.get("schema_version");
    return {
      statistics: this.statistics(),
      ...(schemaVersion === undefined ? {} : { schemaVersion }),
      ...(exporter === undefined ? {} : { exporter }),
      unknownFields: [...this.unknown],
      problems: this.problems,
      skippedLines: this.skipped,
    };
  }

  private report(problem: LineProblem): void {
    if (!problem.torn) this.skipped++;
    if (problem.torn || this.skipped <= PROBLEMS) this.problems.push(problem);
  }

  private endRows(): void {
    this.ending = true;
    try {
      this.rows.end();
    } catch (error) {
      this.report({
        line: this.rows.rowLine,
        message: messageOf(error),
        torn: true,
      });
    }
  }

  private statistics(): RunStatistics {
    const families = [...this.families.values()].map((family) =>
      familyResult(family, family.unit === "" ? undefined : family.unit, family.series),
    );
    for (const [name, series] of this.infos) {
      const results = series.map(({ endpointUrl, pairs }) => ({
        kind: "gauge" as const,
        endpointUrl,
        labels: makeLabels(pairs),
        stats: {},
      }));
      families.push({ name, type: "gauge", description: series[0]?.description ?? "", series: results });
    }
    const endpoints = [
      ...new Set(families.flatMap((family) => family.series.map((series) => series.endpointUrl))),
    ].sort();
    return {
      benchmarkId: this.comments.get("benchmark_id") ?? "",
      startNs: epochNs(0n),
      endNs: epochNs(0n),
      endpointsConfigured: endpoints,
      endpointsSuccessful: endpoints,
      endpointInfo: [],
      inputConfig: {},
      families: families.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)),
    };
  }

  private take(row: CsvRow): void {
    if (row.kind === "comment") {
      const match = /^#\s*([a-z_]+):\s*(.*)$/.exec(row.text);
      if (match === null) return;
      this.comments.set(match[1] ?? "", (match[2] ?? "").trim());
      if (match[1] === "schema_version") this.onSchemaVersion((match[2] ?? "").trim());
      return;
    }
    const { line } = row;
    const cells = this.comments.has(NEUTRALIZED) ? row.cells.map(originalCell) : row.cells;
    if (cells.length === 0) {
      this.section = undefined;
    } else if (this.section === undefined) {
      this.section = this.sectionOf(cells, line);
      this.sections++;
    } else {
      this.row(this.section, cells, line);
    }
  }

  /** A row that does not fit is skipped and remembered; one without an end may lack its last characters. */
  private row(section: Section, cells: readonly string[], line: number): void {
    try {
      const fault = section.kind === "info" ? this.info(cells) : this.series(section, cells);
      if (fault !== undefined) return this.report({ line, message: fault, torn: this.ending });
      this.rowsRead++;
      if (this.ending) this.report({ line, message: "it has no end, so its last cell may be cut off", torn: true });
    } catch (error) {
      this.report({ line, message: messageOf(error), torn: this.ending });
    }
  }

  private sectionOf(header: readonly string[], line: number): Section {
    const [first = ""] = header;
    const names = first.startsWith("\uFEFF") ? [first.slice(1), ...header.slice(1)] : header;
    if (INFO.every((name, i) => names[i] === name)) return { kind: "info" };
    if (!LEADING.every((name, i) => names[i] === name))
      throw new Error(
        `line ${line}: the header of a section should begin with ${LEADING.join(",")} or ${INFO.join(",")}, not with "${names.slice(0, 4).join(",").slice(0, 80)}"`,
      );
    const description = names.lastIndexOf("Description");
    const end = description < 0 ? names.length : description;
    // Statistics stand together, those of a type in its order; a label of such a name comes after them.
    const type = METRIC_TYPES.find((candidate) =>
      STATISTICS[candidate].every((name, i) => names[LEADING.length + i] === name),
    );
    const own = type === undefined ? [] : STATISTICS[type];
    const known = new Set(METRIC_TYPES.flatMap((type) => STATISTICS[type]));
    let at = LEADING.length + own.length;
    if (own.length === 0) while (at < end && known.has(names[at] ?? "")) at++;
    const statistics = names.slice(LEADING.length, at).map((name, i) => [name, LEADING.length + i] as const);
    // AIPerf writes a label's own name, whatever other column has it.
    const prefixed = type !== undefined && this.comments.has("server_metrics_version") ? ownColumns(type) : undefined;
    const labelOf = (name: string) => (prefixed === undefined ? name : labelOfColumn(name, prefixed));
    const labels = names.slice(at, end).map((name, i) => [labelOf(name), at + i] as const);
    for (const name of description < 0 ? [] : names.slice(description + 1))
      if (name !== "buckets") this.unknown.add(name);
    return { kind: "series", header: names, statistics, labels, description, buckets: names.indexOf("buckets", end) };
  }

  /** @returns what is wrong with the row: a file may have millions of them, and an error takes some microseconds */
  private series(
    { header, statistics, labels, description, buckets }: Section & { kind: "series" },
    cells: readonly string[],
  ): string | undefined {
    if (cells.length !== header.length)
      return `it has ${cells.length} cells, but its section's header has ${header.length}`;
    const [endpoint = "", typeText, name = "", unit = ""] = cells;
    const type = METRIC_TYPES.find((candidate) => candidate === typeText);
    if (type === undefined) return `"${typeText ?? ""}" is not a metric type (${METRIC_TYPES.join(", ")})`;
    const endpointUrl = this.urls.of(endpoint);
    const pairs = labels.flatMap(([label, at]) =>
      cells[at] === undefined || cells[at] === "" ? [] : [[label, cells[at]] as const],
    );
    const stats = Object.fromEntries(statistics.flatMap(([key, at]) => statistic(key, cells[at] ?? "")));
    const result = resultOf(type, endpointUrl, makeLabels(pairs), stats, bucketsOf(cells[buckets] ?? ""));
    const key = `${type} ${name}`;
    let family = this.families.get(key);
    if (family === undefined)
      this.families.set(key, (family = { name, type, unit, description: cells[description] ?? "", series: [] }));
    family.series.push(result);
    return undefined;
  }

  /** A row per label; a key that comes again begins another series. @returns as `series` */
  private info([endpoint = "", name = "", key = "", value = "", description = ""]: readonly string[]):
    string | undefined {
    if (key === "") return "an info row needs a key";
    const endpointUrl = this.urls.of(endpoint);
    const list = getOrInsert(this.infos, name, () => []);
    let series = list.at(-1);
    if (series?.endpointUrl !== endpointUrl || series.pairs.has(key))
      list.push((series = { endpointUrl, description, pairs: new Map() }));
    series.pairs.set(key, value);
    return undefined;
  }
}

function statistic(key: string, cell: string): (readonly [string, number])[] {
  if (cell === "" || /^[+-]?(nan|inf(inity)?)$/i.test(cell)) return [];
  const value = Number(cell);
  if (Number.isNaN(value)) throw new Error(`${key} is "${cell.slice(0, 40)}", which is not a number`);
  return [[key, value]];
}

function resultOf(
  type: MetricType,
  endpointUrl: string,
  labels: Labels,
  stats: Record<string, number>,
  buckets: BucketCounts | undefined,
): SeriesResult {
  switch (type) {
    case "counter":
      return { kind: "counter", endpointUrl, labels, stats: { total: NaN, rate: NaN, ...stats } };
    case "histogram":
      return {
        kind: "histogram",
        endpointUrl,
        labels,
        stats: { count: NaN, ...stats },
        ...(buckets === undefined ? {} : { buckets }),
      };
    case "gauge":
    case "unknown":
      return { kind: "gauge", endpointUrl, labels, stats };
  }
}

function bucketsOf(cell: string): BucketCounts | undefined {
  if (cell === "") return undefined;
  return cell
    .split(";")
    .map((part) => {
      const equals = part.lastIndexOf("=");
      const count = Number(part.slice(equals + 1));
      if (equals <= 0 || Number.isNaN(count)) throw new Error(`"${part.slice(0, 40)}" is not a bucket (0.5=12)`);
      return [boundText(part.slice(0, equals)), count] as const;
    })
    .sort(([a], [b]) => boundValue(a) - boundValue(b));
}
