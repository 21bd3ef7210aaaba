import {
  epochNs,
  type EpochNs,
  familyResult,
  RecordedUrls,
  type FamilyResult,
  type Phase,
  type RunStatistics,
  type SeriesResult,
  type TimeRange,
} from "../../model/index.js";
import {
  scrubConfiguration,
  fieldsOf,
  isFields,
  textsOf,
  type Fields,
  type JsonObject,
  parseJson,
} from "../../text/index.js";
import { parseExact, timeOf, parseIso } from "./exact.js";
import { JsonMembers, type JsonMember } from "./members.js";
import { endpointInfoOf, FamilyReader, parseNs } from "./families.js";
import { asObject } from "../jsonl/read-line.js";
import type { LineProblem } from "../jsonl/read.js";

export interface ReadStatistics {
  readonly statistics: RunStatistics;
  readonly schemaVersion?: string;
  readonly exporter?: string;
  /** Fields that this version does not know, in order of appearance. */
  readonly unknownFields: readonly string[];
  /** The first lines that were left out, and a last one that is cut off. */
  readonly problems?: readonly LineProblem[];
  /** All that were left out. */
  readonly skippedLines?: number;
}

/** Reads a JSON artifact in chunks of bytes as they come, statistics as stored. */
export class JsonArtifactReader {
  private readonly members: JsonMembers;
  private readonly families: FamilyResult[] = [];
  private readonly warmupFamilies: FamilyResult[] = [];
  /** Series of the family that is being read, where it is so long that it comes in parts. */
  private parts: (readonly SeriesResult[])[] = [];
  private readonly unknown = new Set<string>();
  private readonly urls = new RecordedUrls();
  private readonly reader = new FamilyReader(this.unknown, this.urls);
  private readonly warmupReader = new FamilyReader(this.unknown, this.urls);
  private phase: Phase = "profiling";
  private schemaVersion: string | undefined;
  private exporter: string | undefined;
  private benchmarkId = "";
  private summary: Fields = {};
  private inputConfig: JsonObject = {};
  private hasMetrics = false;

  /**
   * @param onSchemaVersion may throw, to refuse it
   * @param partBytes as `JsonMembers` has it
   */
  constructor(
    private readonly onSchemaVersion: (version: string) => void = () => undefined,
    partBytes?: number,
  ) {
    this.members = new JsonMembers((member) => this.take(member), partBytes);
  }

  /** @throws Error when the text is not JSON, or no artifact, saying where */
  push(bytes: Uint8Array): void {
    this.members.push(bytes);
  }

  /** @throws Error when the file broke off, or is JSON of another kind */
  end(): ReadStatistics {
    this.members.end();
    if (!this.hasMetrics && this.benchmarkId === "" && this.schemaVersion === undefined)
      throw new Error(
        `it has none of schema_version, benchmark_id and metrics, but ${[...this.unknown].slice(0, 5).join(", ") || "nothing"}: it is not a server-metrics artifact`,
      );
    const { start, end } = this.window();
    const infos = Object.entries(fieldsOf(this.summary["endpoint_info"])).map(
      ([url, info]) => [this.urls.of(url), endpointInfoOf(asObject(info, "an entry of endpoint_info"))] as const,
    );
    return {
      statistics: {
        benchmarkId: this.benchmarkId,
        startNs: start,
        endNs: end,
        endpointsConfigured: textsOf(this.summary["endpoints_configured"]).map((url) => this.urls.of(url)),
        endpointsSuccessful: textsOf(this.summary["endpoints_successful"]).map((url) => this.urls.of(url)),
        endpointInfo: infos,
        inputConfig: this.inputConfig,
        ...(this.phase === "profiling" ? {} : { phase: this.phase }),
        families: this.families,
        ...this.warmup(),
      },
      ...(this.schemaVersion === undefined ? {} : { schemaVersion: this.schemaVersion }),
      ...(this.exporter === undefined ? {} : { exporter: this.exporter }),
      unknownFields: [...this.unknown],
    };
  }

  /**
   * The profiling window that the file states, and the last scrape of its warm-up where that came later than the start;
   * undefined until enough of it was read to tell it exactly.
   */
  get statedWindow(): (TimeRange & { readonly benchmarkId: string; readonly warmupEnd?: EpochNs }) | undefined {
    const { benchmarkId } = this;
    const range = this.timeRange("profiling");
    if (range !== undefined) {
      const warmupEnd = this.timeRange("warmup")?.end ?? range.start;
      return { ...range, benchmarkId, ...(warmupEnd > range.start ? { warmupEnd } : {}) };
    }
    const { start, end, isExact } = this.summaryWindow();
    return isExact && this.phase === "profiling" ? { start, end, benchmarkId } : undefined;
  }

  private take(member: JsonMember): void {
    try {
      if (member.parent === "document") this.field(member);
      else if (member.parent === "metrics") this.family(member, this.reader, this.families);
      else this.family(member, this.warmupReader, this.warmupFamilies);
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError)) throw error;
      throw new Error(
        `${member.parent === "document" ? "" : `${member.parent} › `}${member.key} is not JSON: ${error.message}`,
        {
          cause: error,
        },
      );
    }
    if (member.parent !== "document") this.hasMetrics = true;
  }

  private family(member: JsonMember, reader: FamilyReader, into: FamilyResult[]): void {
    const { key, text, continues = false } = member;
    const read = reader.family(key, asObject(parseNs(text), `${member.parent} › ${member.key}`));
    if (continues) {
      this.parts.push(read.series);
      return;
    }
    const { parts } = this;
    this.parts = [];
    into.push(parts.length === 0 ? read : familyResult(read, read.unit, [...parts, read.series].flat()));
  }

  private field({ key, text }: JsonMember): void {
    switch (key) {
      case "schema_version":
        this.schemaVersion = String(parseJson(text));
        this.onSchemaVersion(this.schemaVersion);
        return;
      case "exporter":
        this.exporter = String(parseJson(text));
        return;
      case "aiperf_version":
        this.exporter = `AIPerf ${String(parseJson(text))}`;
        return;
      case "benchmark_id":
        this.benchmarkId = String(parseJson(text));
        return;
      case "summary":
        this.summary = asObject(parseNs(text), "summary");
        return;
      case "input_config": {
        const config = parseExact(text);
        if (isFields(config)) this.inputConfig = scrubConfiguration(config);
        return;
      }
      case "metrics_phase":
        if (parseJson(text) === "warmup") this.phase = "warmup";
        return;
      case "metrics":
      case "warmup_metrics":
        if (text.trim() !== "{}" && !(key === "warmup_metrics" && text.trim() === "null"))
          throw new TypeError("an object was expected");
        this.hasMetrics = true;
        return;
      default:
        this.unknown.add(key);
    }
  }

  /** A warm-up's range may stand in a file without its metrics. */
  private warmup(): Pick<RunStatistics, "warmup"> {
    const range = this.phase === "warmup" ? undefined : this.timeRange("warmup");
    const { warmupFamilies: families } = this;
    if (range === undefined && families.length === 0) return {};
    const start = epochNs(this.warmupReader.firstSlice ?? 0n);
    return { warmup: { ...(range ?? { start, end: start }), families } };
  }

  private timeRange(phase: Phase): TimeRange | undefined {
    const range = fieldsOf(fieldsOf(this.summary["phase_time_ranges"])[phase]);
    return "start_ns" in range && "end_ns" in range
      ? { start: timeOf(range["start_ns"]), end: timeOf(range["end_ns"]) }
      : undefined;
  }

  /**
   * Schema 1.1 tells it exactly. In 1.0 the summary tells it to the microsecond, AIPerf's in its machine's time of day;
   * the slices tell its start exactly.
   */
  private window(): TimeRange {
    const { start, end } = this.timeRange(this.phase) ?? this.summaryWindow();
    return { start, end };
  }

  private summaryWindow(): TimeRange & { readonly isExact: boolean } {
    const start = parseIso(this.summary["start_time"]);
    const end = parseIso(this.summary["end_time"]);
    const { firstSlice } = this.reader;
    const shift = firstSlice === undefined || start === undefined ? 0n : firstSlice - start.time;
    // A gauge's first slices may be missing: then the earliest one is later than the window.
    const zone = start?.zoned === false ? roundTo(shift, 900_000_000_000n) : 0n;
    const isExact = firstSlice !== undefined && start !== undefined && shift - zone > -1000n && shift - zone < 1000n;
    return {
      start: epochNs((start?.time ?? 0n) + (isExact ? shift : zone)),
      end: epochNs((end?.time ?? 0n) + zone),
      isExact,
    };
  }
}

function roundTo(value: bigint, step: bigint): bigint {
  const half = value < 0n ? -step / 2n : step / 2n;
  return ((value + half) / step) * step;
}
