import {
  canonicalName,
  conceptById,
  conceptOf,
  isCountedAverage,
  isDisaggregated,
  rolesOf,
  seriesOfConcept,
  serverOf,
  type ConceptId,
  type ConceptUse,
  type Role,
  type RoleSeries,
  type ServerId,
} from "../catalog/index.js";
import { isClientEndpoint } from "../client/index.js";
import {
  amountOf,
  displayName,
  labelValue,
  familyResult,
  type EndpointInfo,
  type FamilyResult,
  type Labels,
  type RunStatistics,
  type SeriesResult,
} from "../model/index.js";
import { groupBy } from "../math/index.js";
import { isEngine } from "./engine-options.js";
import {
  counterSignal,
  gaugeSignal,
  histogramSignal,
  type CounterSignal,
  type GaugeSignal,
  type HistogramSignal,
  type SignalBase,
} from "./signals.js";
import type { Evidence } from "./types.js";

interface KnownFamily {
  readonly family: FamilyResult;
  readonly canonical: string;
  readonly use: ConceptUse | undefined;
}

/** Serving endpoints that do the same work: one kind of server, one model, one role. */
export interface Peers {
  readonly server: ServerId;
  readonly role?: Role;
  readonly urls: readonly string[];
}

/** A signal and what the catalogue says of its family. */
type KnownSignal<S> = S & { readonly use: ConceptUse | undefined };

/** What rules ask of a run. Every answer comes from its statistics and slices, so that all formats are answered. */
export class Observed {
  private readonly families: readonly KnownFamily[];
  /** With the endpoint's series alone: rules ask for one endpoint after the other. */
  private readonly byEndpoint: ReadonlyMap<string, readonly KnownFamily[]>;
  private readonly infos: ReadonlyMap<string, EndpointInfo>;
  private readonly gauges = new Map<string, KnownSignal<GaugeSignal> | undefined>();
  private readonly counters = new Map<string, KnownSignal<CounterSignal> | undefined>();
  private readonly histograms = new Map<string, KnownSignal<HistogramSignal> | undefined>();
  private servers: readonly string[] | undefined;
  private groups: readonly Peers[] | undefined;
  private roles: ReadonlyMap<string, Role> | undefined;

  constructor(readonly run: RunStatistics) {
    const known = (family: FamilyResult): KnownFamily => ({
      family,
      canonical: canonicalName(family.name),
      use: conceptOf(family.name),
    });
    // An average that its server calls a counter falls without a restart.
    const families = run.families.filter(
      (family) => !isCountedAverage(family) && family.series.some(({ endpointUrl }) => !isClientEndpoint(endpointUrl)),
    );
    this.families = families.map(known);
    this.infos = new Map(run.endpointInfo);
    this.byEndpoint = new Map([...familiesByEndpoint(families)].map(([url, own]) => [url, own.map(known)]));
  }

  /** Servers with anything captured; a benchmark client is none. */
  endpoints(): readonly string[] {
    return this.run.endpointsSuccessful.filter((url) => !isClientEndpoint(url));
  }

  /** Endpoints that have families of a server which takes part in serving requests, by server. */
  private serving(): ReadonlyMap<ServerId, readonly string[]> {
    const byServer = new Map<ServerId, Set<string>>();
    for (const { family, use } of this.families) {
      const server = serverOf(family.name);
      if (server === undefined || use === undefined) continue;
      const urls = byServer.get(server.id) ?? new Set();
      byServer.set(server.id, urls);
      for (const series of family.series) urls.add(series.endpointUrl);
    }
    return new Map([...byServer].map(([server, urls]) => [server, [...urls].sort()]));
  }

  /** All endpoints of `serving`. */
  servingEndpoints(): readonly string[] {
    return (this.servers ??= [...new Set([...this.serving().values()].flat())].sort());
  }

  /** The server that an endpoint runs: of a page with several the engine, not the frontend before it. */
  serverAt(endpointUrl: string): ServerId | undefined {
    const servers = this.own(endpointUrl).flatMap(({ use }) => use?.member.server ?? []);
    return servers.find(isEngine) ?? servers[0];
  }

  /**
   * Serving endpoints that can be compared with each other. Prefill and decode workers do different work, and so do
   * servers of different models.
   */
  peers(): readonly Peers[] {
    return (this.groups ??= this.grouped());
  }

  private grouped(): readonly Peers[] {
    return [...this.serving()].flatMap(([server, urls]) => {
      const groups = groupBy(
        urls,
        (url) => `${this.labelOf(url, server, /^(model_name|model)$/) ?? ""} ${this.role(url) ?? ""}`,
      );
      return [...groups.values()].flatMap((own) => {
        const role = this.role(own[0] ?? "");
        return [{ server, urls: own, ...(role === undefined ? {} : { role }) }];
      });
    });
  }

  /** What an endpoint does for a request; undefined for a machine. */
  role(endpointUrl: string): Role | undefined {
    this.roles ??= rolesOf(
      new Map([...this.byEndpoint].map(([url, families]) => [url, roleSeries(families)] as const)),
    );
    return this.roles.get(endpointUrl);
  }

  /** Whether some endpoints compute prompts and others tokens. */
  isDisaggregated(): boolean {
    return isDisaggregated(this.endpoints().map((url) => this.role(url)));
  }

  info(endpointUrl: string): EndpointInfo | undefined {
    return this.infos.get(endpointUrl);
  }

  /** Families by a test of their canonical names. @param endpointUrl whose series alone they get; absent: all */
  find(test: (canonical: string, family: FamilyResult) => boolean, endpointUrl?: string): readonly FamilyResult[] {
    const known = endpointUrl === undefined ? this.families : this.own(endpointUrl);
    return known.filter(({ family, canonical }) => test(canonical, family)).map(({ family }) => family);
  }

  /** An endpoint's gauge of a concept or canonical name; undefined without samples. */
  gauge(endpointUrl: string, of: ConceptId | readonly string[]): KnownSignal<GaugeSignal> | undefined {
    return this.signal(this.gauges, endpointUrl, of, gaugeSignal);
  }

  /** As `gauge`, of the series alone that have a label of this value. */
  gaugeWhere(endpointUrl: string, of: ConceptId | readonly string[], label: Labels[number]): GaugeSignal | undefined {
    const [family] = this.candidates(endpointUrl, of).flatMap((one) => seriesWhere(one.family, label));
    return family === undefined ? undefined : gaugeSignal(family, endpointUrl);
  }

  counter(endpointUrl: string, of: ConceptId | readonly string[]): KnownSignal<CounterSignal> | undefined {
    return this.signal(this.counters, endpointUrl, of, counterSignal);
  }

  histogram(endpointUrl: string, of: ConceptId | readonly string[]): KnownSignal<HistogramSignal> | undefined {
    return this.signal(this.histograms, endpointUrl, of, histogramSignal);
  }

  /** All of an endpoint's histograms of a concept: a page of several layers has one of each. */
  histogramsOf(endpointUrl: string, of: ConceptId): readonly HistogramSignal[] {
    return this.candidates(endpointUrl, of).flatMap(({ family }) => histogramSignal(family, endpointUrl) ?? []);
  }

  /** Evidence over the whole window, or from the first to the last of the points that are named. */
  evidence(
    { family, labels, endpointUrl, unit: usual }: SignalBase,
    statistic: string,
    value: number,
    { threshold, unit = usual }: Pick<Evidence, "threshold" | "unit"> = {},
    points: readonly Evidence["range"][] = [],
  ): Evidence {
    return {
      family,
      labels,
      endpointUrl,
      statistic,
      range: { startNs: points[0]?.startNs ?? this.run.startNs, endNs: points.at(-1)?.endNs ?? this.run.endNs },
      value,
      ...(unit === undefined || unit === "" ? {} : { unit }),
      ...(threshold === undefined ? {} : { threshold }),
    };
  }

  private own(endpointUrl: string): readonly KnownFamily[] {
    return this.byEndpoint.get(endpointUrl) ?? [];
  }

  private signal<S extends SignalBase>(
    known: Map<string, KnownSignal<S> | undefined>,
    endpointUrl: string,
    of: ConceptId | readonly string[],
    make: (family: FamilyResult, endpointUrl: string) => S | undefined,
  ): KnownSignal<S> | undefined {
    const key = `${endpointUrl} ${typeof of === "string" ? of : of.join()}`;
    if (known.has(key)) return known.get(key);
    let found: KnownSignal<S> | undefined;
    for (const { family, use } of this.candidates(endpointUrl, of)) {
      const signal = make(family, endpointUrl);
      if (signal === undefined) continue;
      found = { ...signal, use };
      break;
    }
    known.set(key, found);
    return found;
  }

  private candidates(endpointUrl: string, of: ConceptId | readonly string[]): readonly KnownFamily[] {
    const own = this.own(endpointUrl);
    return typeof of === "string"
      ? [...this.parts(endpointUrl, of), ...engineFirst(own.filter(({ use }) => use?.concept.id === of))]
      : of.flatMap((name) => own.filter(({ canonical }) => canonical === name));
  }

  /** What some series of an endpoint's families tell of a concept. */
  private parts(endpointUrl: string, of: ConceptId): readonly KnownFamily[] {
    const { unit } = conceptById(of);
    return seriesOfConcept(of).flatMap(({ family: name, label }) =>
      this.own(endpointUrl)
        .filter(({ canonical }) => canonical === name)
        .flatMap(({ family }) => seriesWhere(family, label))
        .map((family) => ({ family: { ...family, unit }, canonical: name, use: undefined })),
    );
  }

  /** Value of a label that all series of an endpoint's server share. */
  private labelOf(endpointUrl: string, server: ServerId, name: RegExp): string | undefined {
    const values = new Set(
      this.own(endpointUrl)
        .filter(({ use }) => use?.member.server === server)
        .flatMap(({ family }) => family.series.flatMap(({ labels }) => labels.filter(([key]) => name.test(key))))
        .map(([, value]) => value),
    );
    return values.size === 1 ? [...values][0] : undefined;
  }
}

/** A gauge with the series alone that have a label of this value; none where it has none. */
function seriesWhere(family: FamilyResult, [key, value]: Labels[number]): readonly FamilyResult[] {
  if (family.type !== "gauge") return [];
  const series = family.series.filter(({ labels }) => labelValue(labels, key) === value);
  return series.length === 0 ? [] : [{ ...family, series }];
}

/** Of a page with several layers: what the engine says, before what stands in front of it. */
function engineFirst(known: readonly KnownFamily[]): readonly KnownFamily[] {
  const ofEngine = ({ use }: KnownFamily) => use !== undefined && isEngine(use.member.server);
  return [...known.filter(ofEngine), ...known.filter((one) => !ofEngine(one))];
}

/** What the series of an endpoint tell of its role. */
function* roleSeries(known: readonly KnownFamily[]): Generator<RoleSeries, void> {
  for (const { family } of known) {
    if (family.type === "counter")
      for (const each of family.series) yield { name: family.name, labels: each.labels, total: amountOf(each) };
    else for (const { labels } of family.series) yield { name: family.name, labels };
  }
}

/** host:port of an endpoint, as everywhere. */
export function nameOf(endpointUrl: string): string {
  return displayName(endpointUrl);
}

/** Families of each endpoint, each with the endpoint's series alone. */
export function familiesByEndpoint(families: readonly FamilyResult[]): ReadonlyMap<string, readonly FamilyResult[]> {
  return groupBy(families.flatMap(ownOf), ({ series }) => series[0]?.endpointUrl ?? "");
}

/** A family once for each of its endpoints. */
function ownOf(family: FamilyResult): readonly FamilyResult[] {
  const byEndpoint = groupBy<string, SeriesResult>(family.series, ({ endpointUrl }) => endpointUrl);
  return [...byEndpoint.values()].map((series) => familyResult(family, family.unit, series));
}
