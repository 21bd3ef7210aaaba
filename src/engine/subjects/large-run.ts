import {
  hintsFor,
  isStaticFamily,
  presentNames,
  shownRoles,
  type Role,
  type RoleSeries,
} from "../../core/catalog/index.js";
import { addClientSeries, type ClientResult } from "../../core/client/index.js";
import type { EpochNs, Family, MetricType, OffsetNs, Problem } from "../../core/model/index.js";
import { groupBy } from "../../core/math/index.js";
import {
  endpointOverview,
  familiesOfPlan,
  labelCounts,
  pendingTiles,
  plansByRole,
  roleSeriesOf,
  shownFamilies,
  SliceEstimates,
  staticFacts,
  summarizeFamilies,
  tilePlans,
  tileSteps,
  type FamilySummary,
  type LabelCount,
  type StaticFact,
  type Tile,
  type TilePlan,
} from "../../core/query/index.js";
import type { Run } from "../../core/store/index.js";
import { offerLoad, isActivityFamily } from "../../core/window/index.js";
import { addClientToRun, type ParquetFamilies } from "../../files/open/index.js";
import type { EndpointStatus, ProgressListener } from "../../protocol/index.js";
import { fileStatus } from "./file-status.js";
import type { Answers } from "../answers.js";
import { changesOf } from "../load-status.js";
import { runSteps } from "../stepper.js";

/** What reading a family has shown about the run as a whole. */
interface Learnt {
  /** By endpoint. */
  readonly series: ReadonlyMap<string, number>;
  readonly facts: readonly StaticFact[];
  readonly labels: readonly LabelCount[];
}

/**
 * A run too large for memory: a family's samples are read when something is asked of it. Those of a benchmark client
 * are there from the start, in the frame.
 */
export class LargeRun implements Answers {
  readonly kept = new SliceEstimates();
  private readonly learnt = new Map<string, Learnt>();
  /** `roleSeries` by family. */
  private readonly told = new Map<string, (RoleSeries & { readonly endpointUrl: string })[]>();
  private readonly known: ReadonlyMap<string, Family>;
  private isLoadKnown = false;

  /** @param clients whose metrics the frame has */
  constructor(
    private readonly source: ParquetFamilies,
    private clients: readonly ClientResult[],
  ) {
    this.known = new Map(
      source.families.map(({ name, type, description }) => [name, { name, type, description }] as const),
    );
  }

  /** Without the file's samples: what was recorded of the run, and what was adjusted. */
  get frame(): Run {
    return this.source.frame;
  }

  get origin(): EpochNs {
    return this.frame.store.origin;
  }

  /** Of the families read so far. */
  get seriesCount(): number {
    let count = this.frame.store.seriesCount;
    for (const { series } of this.learnt.values()) for (const n of series.values()) count += n;
    return count;
  }

  get newest(): OffsetNs {
    return this.frame.offset(this.source.end);
  }

  definitions(): readonly Family[] {
    return [...this.known.values(), ...shownFamilies(this.frame)];
  }

  labels(): LabelCount[] {
    return [...this.learnt.values()].flatMap(({ labels }) => labels).concat(labelCounts(this.frame.store.seriesKeys()));
  }

  families(): FamilySummary[] {
    const seriesOf = [...this.known.keys()].flatMap((name) => {
      const series = this.learnt.get(name)?.series.values();
      return Array.from({ length: series === undefined ? 1 : [...series].reduce((sum, n) => sum + n, 0) }, () => name);
    });
    const ofClients = Array.from(this.frame.store.seriesKeys(), (key) => key.family.name);
    return summarizeFamilies(this.definitions(), [...seriesOf, ...ofClients]);
  }

  /** A single family is kept, several are not. */
  async of(families: readonly string[], signal: AbortSignal): Promise<Run> {
    const [first, ...others] = families.filter((name) => this.known.has(name));
    if (first === undefined) return this.frame;
    if (families.length === 1) return this.read(first, signal);
    const run = await this.source.together([first, ...others], { signal });
    this.learnRoles(run);
    return this.withClients(run);
  }

  async *ofType(type: MetricType, signal: AbortSignal, report: ProgressListener): AsyncIterable<Run> {
    const wanted = [...this.known.values()].filter((family) => family.type === type);
    for (const [done, { name }] of wanted.entries()) {
      report({ done, of: wanted.length, steps: "metrics" });
      yield await this.read(name, signal);
    }
    if (this.frame.store.seriesCount > 0) yield this.frame;
  }

  /** Samples of these families as one run, for what cannot be answered family by family. It is not kept. */
  async samplesOf(
    only: (family: Family) => boolean,
    signal: AbortSignal,
    onProgress: (fraction: number) => void = () => undefined,
  ): Promise<Run> {
    const isWanted = (name: string) => {
      const family = this.known.get(name);
      return family !== undefined && only(family);
    };
    return this.withClients(await this.source.whole({ signal, onProgress, only: isWanted }));
  }

  /** Adds results of a benchmark client. @returns what to report about them @throws UserError */
  async addClient(path: string, paths: readonly string[], signal: AbortSignal): Promise<readonly Problem[]> {
    const options = { client: paths, signal };
    const { clients, notices } = await addClientToRun(path, this.frame, options, undefined, this.source.end);
    this.clients = [...this.clients, ...clients];
    return notices;
  }

  get facts(): readonly StaticFact[] {
    const facts = new Map<string, StaticFact>();
    for (const learnt of this.learnt.values()) for (const fact of learnt.facts) facts.set(JSON.stringify(fact), fact);
    return [...facts.values()].sort((a, b) => Number(b.name === "model") - Number(a.name === "model"));
  }

  /** Those of the file. */
  endpoints(): EndpointStatus[] {
    const { endpointInfo, end } = this.source.about;
    const urls = new Set([...endpointInfo.keys(), ...this.source.families.flatMap(({ endpoints }) => endpoints)]);
    return [...urls].map((url): EndpointStatus => {
      const families = this.source.families.filter(({ endpoints }) => endpoints.includes(url)).map(({ name }) => name);
      // Unless all were read, their number is not known.
      const counts = families.map((name) => this.learnt.get(name)?.series.get(url));
      const series = counts.reduce((sum, n) => (sum === undefined || n === undefined ? undefined : sum + n), 0);
      return {
        ...fileStatus(url, endpointInfo.get(url), families, end, this.frame.store.origin),
        ...(series === undefined ? {} : { series }),
        problems: hintsFor(new Set(families)),
      };
    });
  }

  pendingTiles(): readonly Tile[] {
    return pendingTiles(tilePlans(this.definitions()));
  }

  /**
   * Reads the tiles one by one, and then what the run's facts stand in. Where what is read tells of roles, metrics of
   * several roles are then read for each.
   * @param onTile called after each, with all that are known
   * @throws UserError; the signal's reason
   */
  async tiles(signal: AbortSignal, onTile: (tiles: readonly Tile[]) => void): Promise<readonly Tile[]> {
    const plans = tilePlans(this.definitions());
    const read = new Map<TilePlan, Tile>();
    const tiles = await this.tilesOf(plans, new Map(), read, signal, onTile);
    for (const name of this.known.keys()) {
      if (!this.learnt.has(name) && isStaticFamily(name)) await this.read(name, signal);
    }
    const roles = shownRoles(this.roleSeries());
    if (roles.size === 0) return tiles;
    const endpointsOf = (family: string) =>
      this.source.families
        .filter(({ name }) => presentNames(family, this.known).includes(name))
        .flatMap(({ endpoints }) => endpoints.map((endpointUrl) => ({ endpointUrl })));
    return this.tilesOf(plansByRole(plans, endpointsOf, roles), roles, read, signal, onTile);
  }

  /** Looks for the load of a run that was saved with all of it measured, so that it can be chosen; once. */
  async offerLoad(signal: AbortSignal): Promise<void> {
    const { frame, source, clients } = this;
    if (this.isLoadKnown || frame.load !== undefined) return;
    const names = [...this.known.keys()].filter(isActivityFamily);
    if (names.length > 0) {
      const run = await source.together(names, { signal }, "totals");
      offerLoad(run, { clients });
      if (run.load !== undefined) changesOf(run, run.load);
      frame.offerLoad(run.load);
    }
    this.isLoadKnown = true;
  }

  /** @param read so far: it is not read again, and gets the others */
  private async tilesOf(
    plans: readonly TilePlan[],
    roles: ReadonlyMap<string, Role>,
    read: Map<TilePlan, Tile>,
    signal: AbortSignal,
    onTile: (tiles: readonly Tile[]) => void,
  ): Promise<readonly Tile[]> {
    const tiles = () => plans.flatMap((plan) => read.get(plan) ?? pendingTiles([plan]));
    const names = new Set(this.definitions().map(({ name }) => name));
    for (const plan of plans) {
      const families = familiesOfPlan(plan, names);
      if (families.length === 0 || read.has(plan)) continue;
      const run = await this.of(families, signal);
      const [tile] = await runSteps(tileSteps(run, { plans: [plan], roles }), signal);
      if (tile !== undefined) read.set(plan, tile);
      onTile(tiles());
    }
    return tiles();
  }

  /** What the families read so far tell of the roles of endpoints, by URL. */
  roleSeries(): ReadonlyMap<string, readonly RoleSeries[]> {
    return groupBy([...this.told.values()].flat(), ({ endpointUrl }) => endpointUrl);
  }

  private learnRoles(run: Run): void {
    const series = [...roleSeriesOf(run)].flatMap(([endpointUrl, own]) =>
      Array.from(own, (one) => ({ ...one, endpointUrl })),
    );
    for (const [family, own] of groupBy(series, ({ name }) => name)) this.told.set(family, own);
  }

  async close(): Promise<void> {
    await this.source.close();
  }

  private withClients(run: Run): Run {
    addClientSeries(run.store, this.clients, { start: run.profilingStart, end: run.profilingEnd ?? this.source.end });
    return run;
  }

  private async read(family: string, signal: AbortSignal): Promise<Run> {
    const run = await this.source.load(family, signal);
    if (!this.learnt.has(family)) {
      this.learnRoles(run);
      const series = run.store.endpoints.map((axis) => [axis.url, endpointOverview(run, axis.id).series] as const);
      this.learnt.set(family, {
        series: new Map(series.filter(([, n]) => n > 0)),
        facts: staticFacts(run),
        labels: labelCounts(run.store.seriesKeys()),
      });
    }
    return run;
  }
}
