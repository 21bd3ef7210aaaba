import {
  conceptById,
  familiesOfMember,
  familyEntry,
  type ConceptId,
  type ConceptMember,
  type KeyStatistic,
} from "../catalog/index.js";
import { labelValue, type SeriesKey } from "../model/index.js";
import { groupBy } from "../math/index.js";
import type { Steps } from "../stats/index.js";
import type { Run } from "../store/index.js";
import { naturalOrder } from "../text/index.js";
import { endpointOverview } from "./overview.js";
import { metricReader } from "./readings.js";
import { isKnown, NOTHING, tileUnit, type MetricReader, type TilePlan } from "./tile.js";
import { recentWindow } from "./tiles.js";

/** What is looked at of every engine, whatever it calls it. */
const ENGINE_METRICS = [
  { concept: "running", statistics: ["avg"] },
  { concept: "waiting", statistics: ["avg"] },
  { concept: "kv-usage", statistics: ["avg"] },
  { concept: "ttft", statistics: ["p50_estimate", "p99_estimate"] },
  { concept: "inter-token-latency", statistics: ["p50_estimate", "p99_estimate"] },
  { concept: "e2e-latency", statistics: ["p50_estimate", "p99_estimate"] },
  { concept: "generation-tokens", statistics: ["rate"] },
  { concept: "finished", statistics: ["rate"] },
] as const satisfies readonly { readonly concept: ConceptId; readonly statistics: readonly KeyStatistic[] }[];

export interface EngineFigure {
  readonly concept: ConceptId;
  readonly statistic: KeyStatistic;
  readonly unit?: string;
  /** What it is now: the last value of a gauge, all else over the last ten seconds. NaN where nothing is known. */
  readonly now: number;
  /** Over what is measured so far. */
  readonly whole: number;
  /** Those that are only a lower limit: the percentile lies beyond the last bucket. */
  readonly atLeast?: { readonly now: boolean; readonly whole: boolean };
  readonly sparkline: Float64Array;
}

/** An engine of an endpoint, an endpoint, or all endpoints of one kind of server. */
export interface EngineGroup {
  readonly endpointUrls: readonly string[];
  /** Of one endpoint: the value of the label that tells its engines apart. */
  readonly engine?: string;
  /** Of several endpoints: the name of the server. */
  readonly server?: string;
}

/** Which figure: now, or over what is measured so far. */
export type Over = "now" | "whole";

/** Labels by which vLLM's and SGLang's data-parallel engines of one endpoint are told apart. */
const ENGINE_LABELS = ["engine", "dp_rank"] as const;

/**
 * The engines of a run: for each kind of server all of them together, where it has several endpoints, then each; what
 * the catalogue does not know comes last.
 */
export function enginesOf(run: Run): readonly EngineGroup[] {
  const { store } = run;
  const known = store.endpoints
    .map(({ url, id }) => ({
      url,
      engines: enginesIn(store.seriesKeys(id)),
      server: endpointOverview(run, id).servers[0] ?? "",
    }))
    .sort((a, b) => naturalOrder(a.url, b.url));
  const groups = [...groupBy(known, ({ server }) => server)].sort(([a], [b]) => Number(a === "") - Number(b === ""));
  return groups.flatMap(([server, own]) => [
    ...(own.length > 1 && server !== "" ? [{ endpointUrls: own.map(({ url }) => url), server }] : []),
    ...own.flatMap(({ url, engines }) =>
      engines.length < 2 ? [{ endpointUrls: [url] }] : engines.map((engine) => ({ endpointUrls: [url], engine })),
    ),
  ]);
}

function enginesIn(keys: Iterable<Pick<SeriesKey, "labels">>): readonly string[] {
  const found = new Set<string>();
  for (const key of keys) {
    const engine = engineOf(key);
    if (engine !== undefined) found.add(engine);
  }
  return [...found].sort(naturalOrder);
}

function engineOf({ labels }: Pick<SeriesKey, "labels">): string | undefined {
  return ENGINE_LABELS.map((name) => labelValue(labels, name)).find((value) => value !== undefined);
}

/** Reads what an engine is doing, in steps: yields after each metric. */
export type ReadEngine = (engine: EngineGroup, over: Over | "both") => Steps<readonly EngineFigure[]>;

/**
 * Reads the engines of a run that goes on, as it is now. What is not asked for is NaN: a whole run takes much longer
 * than its last seconds.
 */
export function engineReader(run: Run): ReadEngine {
  const [whole, recent] = [metricReader(run), metricReader(run, recentWindow(run))];
  return ({ endpointUrls, engine }, over) => {
    const urls = new Set(endpointUrls);
    const admitted = (key: SeriesKey) =>
      urls.has(key.endpointUrl) && (engine === undefined || engineOf(key) === engine);
    return figureSteps(whole.within(admitted), recent.within(admitted), over);
  };
}

function* figureSteps(whole: MetricReader, recent: MetricReader, over: Over | "both"): Steps<readonly EngineFigure[]> {
  const figures: EngineFigure[] = [];
  for (const { concept, statistics } of ENGINE_METRICS) {
    const plan = conceptById(concept)
      .members.map((member) => planOfMember(concept, member, statistics[0], whole))
      .find((found) => found !== undefined);
    yield;
    if (plan === undefined) continue;
    const all = over === "now" ? [] : yield* whole.read(plan, statistics);
    const last = over === "whole" ? [] : yield* recent.read(plan, statistics);
    figures.push(
      ...statistics.map((statistic, i): EngineFigure => {
        const [before = NOTHING, lately = NOTHING] = [all[i], last[i]];
        return {
          concept,
          statistic,
          ...(plan.unit === undefined ? {} : { unit: plan.unit }),
          now: plan.metric.type === "gauge" ? (lately.sparkline.findLast(isKnown) ?? NaN) : lately.value,
          whole: before.value,
          ...(before.atLeast === true || lately.atLeast === true
            ? { atLeast: { now: lately.atLeast === true, whole: before.atLeast === true } }
            : {}),
          sparkline: before.sparkline,
        };
      }),
    );
  }
  return figures;
}

/** How a concept is read; undefined where these series do not tell it so. */
function planOfMember(
  concept: ConceptId,
  member: ConceptMember,
  statistic: KeyStatistic,
  reader: MetricReader,
): TilePlan | undefined {
  const { derived, server } = member;
  const needed = familiesOfMember(member);
  const found = needed.map((name) => reader.keysOf(name)[0]?.family);
  const [name, family] = [needed[0], found[0]];
  if (name === undefined || family === undefined || found.includes(undefined)) return undefined;
  const { title, direction } = conceptById(concept);
  const metric = {
    ...{ id: concept, title, direction, statistic, family: name },
    type: familyEntry(name)?.type ?? family.type,
    ...(derived === undefined ? {} : { derived: derived.derivation }),
  };
  return { metric, family, unit: derived === undefined ? tileUnit(statistic, family) : derived.unit, server };
}
