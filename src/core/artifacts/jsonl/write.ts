import {
  isInfoFamily,
  type EpochNs,
  type Family,
  type Labels,
  type NamedPhase,
  type Phase,
  type RunMetadata,
  type SampleBatch,
  type SampleDef,
  type Scrape,
  type ServerEvent,
  type WrittenTo,
} from "../../model/index.js";
import { getOrInsert } from "../../math/index.js";
import { familyUnit } from "../../catalog/index.js";
import type { Run } from "../../store/index.js";
import { lineText } from "../json/text.js";

/** What happens in a run besides scrapes. */
export type RunEvent =
  | { readonly kind: "run_start"; readonly time: EpochNs; readonly metadata: RunMetadata }
  | { readonly kind: "profiling_start"; readonly time: EpochNs }
  | { readonly kind: "profiling_end"; readonly time: EpochNs }
  | { readonly kind: "mark"; readonly time: EpochNs; readonly label: string }
  | { readonly kind: "server_event"; readonly time: EpochNs; readonly event: ServerEvent }
  /** In a journal only; the last one counts. */
  | { readonly kind: "remote_write"; readonly time: EpochNs; readonly written: WrittenTo }
  /** Its time is the phase's start; a later line about a phase of that name replaces it. */
  | { readonly kind: "phase"; readonly time: EpochNs; readonly phase: NamedPhase };

/** How one endpoint's samples are laid out in its lines; rebuilt when the set of samples changes. */
interface Layout {
  readonly defs: readonly SampleDef[];
  readonly ids: Int32Array;
  /** Families in order of appearance, but for `*_info` families: their samples belong to the metadata. */
  readonly metrics: NumberedText;
  readonly metadata: NumberedText;
  readonly hasInfos: boolean;
}

interface EndpointState {
  layout?: Layout;
  /** As they are now. */
  metadata: string;
  /** Whether they have been written. */
  written: boolean;
}

/**
 * Writes a run as lines of JSON, one scrape or event each, without line ends. Keeps per endpoint what was written
 * already, so that metadata stands only where it is new. The unit is for readers of the file; ours derive it again.
 */
export class JsonlWriter {
  private readonly endpoints = new Map<string, EndpointState>();

  /** From here on a reader that has seen nothing of before must understand the lines: metadata are written again. */
  restart(): void {
    for (const state of this.endpoints.values()) state.written = false;
  }

  event(event: RunEvent): string {
    return `{"endpoint_url":"","timestamp_ns":${event.time},"endpoint_latency_ns":0,"metrics":{},"event":${eventText(event)}}`;
  }

  /** @param phase absent: the scrape belongs to none */
  scrape(scrape: Scrape, phase: Phase | undefined): string {
    const { outcome } = scrape;
    const head = `{"endpoint_url":${JSON.stringify(scrape.endpointUrl)},"timestamp_ns":${scrape.time},"endpoint_latency_ns":${scrape.latency},"metrics":`;
    const tail = `,"request_sent_ns":${scrape.requestSent},"first_byte_ns":${scrape.time}${phase === undefined ? "" : `,"benchmark_phase":"${phase}"`}`;
    switch (outcome.kind) {
      case "duplicate":
        return `${head}{}${tail},"duplicate":true}`;
      case "failed":
        return `${head}{}${tail},"error":${JSON.stringify(outcome.error)}}`;
      case "samples": {
        const { metrics, metadata } = this.samples(scrape.endpointUrl, outcome.batch);
        const created = outcome.batch.created?.map(({ family: { name, type }, labels, time }) =>
          lineText({ metric_name: name, metric_type: type, labels: Object.fromEntries(labels), created_ns: time }),
        );
        const more = `${metadata === undefined ? "" : `,"metadata":{${metadata}}`}${created === undefined ? "" : `,"created":[${created.join(",")}]`}`;
        return `${head}{${metrics}}${tail}${more}}`;
      }
    }
  }

  /** The metadata only where they are new. */
  private samples(
    url: string,
    batch: SampleBatch,
  ): { readonly metrics: string; readonly metadata: string | undefined } {
    const state = getOrInsert(this.endpoints, url, () => ({ metadata: "", written: false }));
    const { layout: before } = state;
    const layout = before !== undefined && fits(before, batch) ? before : layoutOf(batch);
    state.layout = layout;
    const metrics = layout.metrics.with(batch.values);
    // Nothing of it changes with values but the samples of `*_info` families.
    const metadata = layout === before && !layout.hasInfos ? state.metadata : layout.metadata.with(batch.values);
    if (state.written && metadata === state.metadata) return { metrics, metadata: undefined };
    state.metadata = metadata;
    state.written = true;
    return { metrics, metadata };
  }
}

/**
 * A whole run in lines, their ends included, in order of arrival; an event stands before the first scrape that is
 * later.
 * @param scrapes how many of them, when a capture goes on meanwhile
 */
export function* jsonlText(run: Run, scrapes = run.store.scrapes): Iterable<string> {
  const writer = new JsonlWriter();
  const events: RunEvent[] = [
    { kind: "profiling_start", time: run.measuredFrom },
    ...(run.profilingEnd === undefined ? [] : [{ kind: "profiling_end" as const, time: run.profilingEnd }]),
    ...run.phases.map((phase) => ({ kind: "phase" as const, time: phase.start, phase })),
    ...run.marks.map((mark) => ({ kind: "mark" as const, ...mark })),
    ...run.serverEvents.map((event) => ({ kind: "server_event" as const, time: event.time, event })),
  ];
  events.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  yield `${writer.event({ kind: "run_start", time: run.store.origin, metadata: run.metadata })}\n`;
  let next = 0;
  for (const scrape of run.store.scrapesInOrder(scrapes)) {
    for (let event = events[next]; event !== undefined && event.time < scrape.time; event = events[++next])
      yield `${writer.event(event)}\n`;
    yield `${writer.scrape(scrape, run.phaseOf(scrape))}\n`;
  }
  for (const event of events.slice(next)) yield `${writer.event(event)}\n`;
}

function eventText(event: RunEvent): string {
  switch (event.kind) {
    case "run_start": {
      const { benchmarkId, label, endpointsConfigured, sliceDurationSeconds, inputConfig } = event.metadata;
      return lineText({
        type: event.kind,
        benchmark_id: benchmarkId,
        label,
        slice_duration: sliceDurationSeconds,
        endpoints_configured: endpointsConfigured,
        input_config: inputConfig,
      });
    }
    case "mark":
      return lineText({ type: event.kind, label: event.label });
    case "server_event": {
      const { kind, start, endpointUrl, label, details } = event.event;
      const begun = start === undefined ? {} : { start_ns: start };
      return lineText({ type: event.kind, event_kind: kind, endpoint_url: endpointUrl, label, ...begun, details });
    }
    case "remote_write":
      return lineText({ type: event.kind, ...event.written });
    case "phase": {
      const { name, kind, end, tags } = event.phase;
      const bounds = { end_ns: end, tag_from_ns: tags?.from, tag_to_ns: tags?.to };
      return lineText({ type: event.kind, name, phase_kind: kind, ...bounds });
    }
    case "profiling_start":
    case "profiling_end":
      return lineText({ type: event.kind });
  }
}

function fits({ defs, ids }: Layout, batch: SampleBatch): boolean {
  if (defs !== batch.defs || ids.length !== batch.length) return false;
  for (let i = 0; i < ids.length; i++) if (ids[i] !== batch.ids[i]) return false;
  return true;
}

interface SeriesParts {
  readonly labels: Labels;
  value?: number;
  sum?: number;
  count?: number;
  readonly buckets: { readonly key: string; readonly upper: number; readonly at: number }[];
}

function layoutOf(batch: SampleBatch): Layout {
  const families = new Map<string, { readonly family: Family; readonly series: Map<string, SeriesParts> }>();
  for (let i = 0; i < batch.length; i++) {
    const def = batch.defs[batch.ids[i] ?? -1];
    if (def === undefined) continue;
    const entry = getOrInsert(families, def.family.name, () => ({ family: def.family, series: new Map() }));
    const key = labelsText(def.labels);
    const parts = getOrInsert(entry.series, key, () => ({ labels: def.labels, buckets: [] }));
    // The last of two samples of the same series wins.
    if (def.part.kind === "bucket")
      parts.buckets.push({ key: JSON.stringify(def.part.bound), upper: def.part.upper, at: i });
    else parts[def.part.kind] = i;
  }
  const metrics: TextOrPlace[][] = [];
  const metadata: TextOrPlace[][] = [];
  const infos: TextOrPlace[][] = [];
  for (const [name, { family, series }] of families) {
    const key = JSON.stringify(name);
    const samples = ["[", ...joined([...series].map(([labels, parts]) => seriesPieces(labels, parts))), "]"];
    const unit = familyUnit(family);
    const about = `${key}:{"type":"${family.type}","description":${JSON.stringify(family.description)}${unit === undefined ? "" : `,"unit":${JSON.stringify(unit)}`}`;
    if (isInfoFamily(name)) {
      infos.push([`${about},"samples":`, ...samples, "}"]);
    } else {
      metrics.push([`${key}:`, ...samples]);
      metadata.push([`${about}}`]);
    }
  }
  return {
    defs: batch.defs,
    ids: batch.ids.slice(0, batch.length),
    metrics: new NumberedText(joined(metrics)),
    metadata: new NumberedText(joined([...metadata, ...infos])),
    hasInfos: infos.length > 0,
  };
}

/** One after the other, with commas between them. */
function joined(items: readonly (readonly TextOrPlace[])[]): TextOrPlace[] {
  return items.flatMap((pieces, i) => (i === 0 ? pieces : [",", ...pieces]));
}

function seriesPieces(labels: string, { value, sum, count, buckets }: SeriesParts): TextOrPlace[] {
  const head = labels === "{}" ? "{" : `{"labels":${labels},`;
  if (value !== undefined) return [`${head}"value":`, value, "}"];
  const sorted = [...buckets].sort((a, b) => a.upper - b.upper);
  const infinite = sorted.find((bucket) => bucket.upper === Infinity)?.at;
  // What the server left out another part tells, as in the store.
  const total = count ?? infinite ?? -1;
  const written: TextOrPlace[][] = sorted.map(({ key, at }) => [`${key}:`, at]);
  if (infinite === undefined && count !== undefined) written.push(['"+Inf":', count]);
  return [`${head}"buckets":{`, ...joined(written), `},"sum":`, sum ?? -1, `,"count":`, total, "}"];
}

function labelsText(labels: Labels): string {
  return `{${labels.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`;
}

/** A text, or the place of a number among the values; -1: there is none. */
export type TextOrPlace = string | number;

/** A text in which only numbers change, written as JSON. A number that stays as it was is not written again. */
export class NumberedText {
  private readonly texts: string[];
  /** Which of the texts are numbers, which of the values each is, and what it was last. */
  private readonly numbers: readonly { readonly at: number; readonly place: number }[];
  private readonly values: Float64Array;

  constructor(pieces: readonly TextOrPlace[]) {
    this.texts = pieces.map((piece) => (typeof piece === "string" ? piece : numberText(NaN)));
    this.numbers = pieces.flatMap((place, at) => (typeof place === "string" ? [] : [{ at, place }]));
    this.values = new Float64Array(this.numbers.length).fill(NaN);
  }

  with(values: Float64Array): string {
    this.numbers.forEach(({ at, place }, i) => {
      const value = values[place] ?? NaN;
      if (Object.is(value, this.values[i])) return;
      this.values[i] = value;
      this.texts[at] = numberText(value);
    });
    return this.texts.join("");
  }
}

/** A gap is null: JSON has no NaN. */
function numberText(value: number): string {
  return !Number.isFinite(value) ? "null" : Object.is(value, -0) ? "-0.0" : String(value);
}
