import { hintsFor, isStaticFamily } from "../../core/catalog/index.js";
import type { EpochNs, Family, MetricType, OffsetNs } from "../../core/model/index.js";
import {
  endpointOverview,
  familiesOfPlan,
  labelCounts,
  pendingTiles,
  runReader,
  SliceEstimates,
  staticFacts,
  summarizeFamilies,
  tilePlans,
  tileSteps,
  type FamilySummary,
  type LabelCount,
  type MetricReader,
  type StaticFact,
  type Tile,
} from "../../core/query/index.js";
import { currentWindow } from "../../core/stats/index.js";
import type { Run } from "../../core/store/index.js";
import type { ParquetFamilies } from "../../files/open/index.js";
import type { EndpointStatus, ProgressListener } from "../../protocol/index.js";
import { fileStatus } from "./file-status.js";
import { familyAnswers, type Answers, type FamilyAnswers } from "../answers.js";
import { runSteps } from "../stepper.js";

/** What reading a family has shown about the run as a whole. */
interface Learnt {
  /** By endpoint. */
  readonly series: ReadonlyMap<string, number>;
  readonly facts: readonly StaticFact[];
  readonly labels: readonly LabelCount[];
}

/** A run too large for memory: a family's samples are read when something is asked of it. */
export class LargeRun implements Answers {
  private readonly kept = new SliceEstimates();
  private readonly learnt = new Map<string, Learnt>();
  private readonly known: readonly Family[];
  private readonly names: ReadonlySet<string>;

  constructor(private readonly source: ParquetFamilies) {
    this.known = source.families.map(({ name, type, description }) => ({ name, type, description }));
    this.names = new Set(this.known.map(({ name }) => name));
  }

  /** Without samples: what was recorded of the run, and what was adjusted. */
  get frame(): Run {
    return this.source.frame;
  }

  get origin(): EpochNs {
    return this.frame.store.origin;
  }

  /** Of the families read so far. */
  get seriesCount(): number {
    let count = 0;
    for (const { series } of this.learnt.values()) for (const n of series.values()) count += n;
    return count;
  }

  get newest(): OffsetNs {
    return this.frame.offset(this.source.end);
  }

  definitions(): readonly Family[] {
    return this.known;
  }

  labels(): LabelCount[] {
    return [...this.learnt.values()].flatMap(({ labels }) => labels);
  }

  families(): FamilySummary[] {
    const seriesOf = this.known.flatMap(({ name }) => {
      const series = this.learnt.get(name)?.series.values();
      return Array.from({ length: series === undefined ? 1 : [...series].reduce((sum, n) => sum + n, 0) }, () => name);
    });
    return summarizeFamilies(this.known, seriesOf);
  }

  async of(family: string, signal: AbortSignal): Promise<FamilyAnswers> {
    return familyAnswers(this.names.has(family) ? await this.read(family, signal) : this.frame, this.kept);
  }

  async *ofType(type: MetricType, signal: AbortSignal, report: ProgressListener): AsyncIterable<FamilyAnswers> {
    const wanted = this.known.filter((family) => family.type === type);
    for (const [done, { name }] of wanted.entries()) {
      report({ done, of: wanted.length, steps: "metrics" });
      yield await this.of(name, signal);
    }
  }

  async reader(families: readonly string[], signal: AbortSignal): Promise<MetricReader> {
    const [first, ...others] = families.filter((name) => this.names.has(name));
    if (first === undefined) return runReader(this.frame, currentWindow(this.frame));
    const run =
      others.length === 0 ? await this.read(first, signal) : await this.source.together([first, ...others], { signal });
    return runReader(run, currentWindow(run));
  }

  /** The whole run, for what cannot be answered family by family. */
  whole(signal: AbortSignal, onProgress: (fraction: number) => void): Promise<Run> {
    return this.source.whole({ signal, onProgress });
  }

  get facts(): readonly StaticFact[] {
    const facts = new Map<string, StaticFact>();
    for (const learnt of this.learnt.values()) for (const fact of learnt.facts) facts.set(JSON.stringify(fact), fact);
    return [...facts.values()].sort((a, b) => Number(b.name === "model") - Number(a.name === "model"));
  }

  endpoints(): EndpointStatus[] {
    const { endpointInfo, end } = this.source.about;
    const urls = new Set([...endpointInfo.keys(), ...this.source.families.flatMap(({ endpoints }) => endpoints)]);
    return [...urls].map((url): EndpointStatus => {
      const families = this.source.families.filter(({ endpoints }) => endpoints.includes(url)).map(({ name }) => name);
      // Unless all were read, their number is not known.
      const counts = families.map((name) => this.learnt.get(name)?.series.get(url));
      const series = counts.reduce((sum, n) => (sum === undefined || n === undefined ? undefined : sum + n), 0);
      return {
        ...fileStatus(url, endpointInfo.get(url), families, end),
        ...(series === undefined ? {} : { series }),
        problems: hintsFor(new Set(families)),
      };
    });
  }

  pendingTiles(): readonly Tile[] {
    return pendingTiles(tilePlans(this.known));
  }

  /**
   * Reads the tiles one by one, and then what the run's facts stand in.
   * @param onTile called after each, with all that are known
   * @throws FileError; the signal's reason
   */
  async tiles(signal: AbortSignal, onTile: (tiles: readonly Tile[]) => void): Promise<readonly Tile[]> {
    const plans = tilePlans(this.known);
    const tiles = pendingTiles(plans);
    for (const [i, plan] of plans.entries()) {
      const [first, ...others] = familiesOfPlan(plan, this.names);
      if (first === undefined) continue;
      const run =
        others.length === 0
          ? await this.read(first, signal)
          : await this.source.together([first, ...others], { signal });
      const [tile] = await runSteps(tileSteps(run, { plans: [plan] }), signal);
      if (tile !== undefined) tiles[i] = tile;
      onTile([...tiles]);
    }
    for (const { name } of this.known) {
      if (!this.learnt.has(name) && isStaticFamily(name)) await this.read(name, signal);
    }
    return tiles;
  }

  async close(): Promise<void> {
    await this.source.close();
  }

  private async read(family: string, signal: AbortSignal): Promise<Run> {
    const run = await this.source.load(family, signal);
    if (!this.learnt.has(family)) {
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
