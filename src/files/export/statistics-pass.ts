/**
 * The statistics of a run, unit by unit: a unit is some series of one family, and becomes text as soon as it is
 * computed. Nothing but the rows of CSV is kept to the end, and a second thread may compute units as well. The export
 * of a fleet of 200 endpoints (18,000 series) took 90 MB more with all statistics and their slices in memory.
 */
import { setImmediate } from "node:timers/promises";
import {
  BETWEEN_SERIES,
  csvSeries,
  jsonEnd,
  jsonStart,
  MetricsText,
  seriesText,
  type CsvFamily,
  type CsvSeries,
} from "../../core/artifacts/index.js";
import { familyUnit } from "../../core/catalog/index.js";
import { insightSlices, isUsedByFindings } from "../../core/insights/index.js";
import { NS_PER_SECOND, type FamilyResult, type SeriesId } from "../../core/model/index.js";
import { artifactWindows } from "../../core/window/index.js";
import { familiesInOrder, runFacts, SeriesStatistics, type RunWindow, type Steps } from "../../core/stats/index.js";
import type { Run } from "../../core/store/index.js";
import { VERSION } from "../version.js";

/** What a pass runs over and is for. */
export interface PassPlan {
  readonly window: RunWindow;
  readonly sliceSeconds: number;
  /** Whether rows of CSV are wanted, and whether its formulas are neutralised. */
  readonly csv: boolean;
  readonly csvSafe: boolean;
}

type About = Omit<FamilyResult, "series">;

/** Some series of one family over one window. */
export interface Unit {
  readonly member: "metrics" | "warmup_metrics";
  readonly about: About;
  readonly ids: readonly SeriesId[];
  /** Whether its JSON is wanted. */
  readonly json: boolean;
}

/** What a unit gives, as plain data. */
export interface UnitTexts {
  /** Those that have anything in the window. */
  readonly series: number;
  /** Of the series, in the JSON artifact's form, with what stands between them. */
  readonly json: Uint8Array<ArrayBuffer>;
  readonly csv: readonly { readonly id: SeriesId; readonly before: string; readonly after: string }[];
}

/** Computes units. */
export class UnitComputer {
  private readonly statistics: Readonly<Record<Unit["member"], SeriesStatistics>>;
  /** In the slices of findings, where they are others. */
  private readonly fine: SeriesStatistics | undefined;
  private readonly encoder = new TextEncoder();

  constructor(
    private readonly run: Run,
    private readonly plan: PassPlan,
  ) {
    const { window, warmup = window } = artifactWindows(run, plan.window);
    const { sliceSeconds } = plan;
    this.statistics = {
      metrics: new SeriesStatistics(run, { window, sliceSeconds }),
      warmup_metrics: new SeriesStatistics(run, { window: warmup, sliceSeconds }),
    };
    const fineSeconds = insightSlices(Number(window.end - window.start) / NS_PER_SECOND);
    this.fine =
      sliceSeconds > 0 && fineSeconds !== sliceSeconds
        ? new SeriesStatistics(run, { window, sliceSeconds: fineSeconds })
        : undefined;
  }

  /** @throws RangeError for an unusable slice length */
  *compute({ member, about, ids, json }: Unit): Steps<UnitTexts> {
    const { csv, csvSafe } = this.plan;
    const texts: string[] = [];
    const rows: { id: SeriesId; before: string; after: string }[] = [];
    const fine = json && member === "metrics" && isUsedByFindings(about) ? this.fine : undefined;
    let series = 0;
    for (const id of ids) {
      const key = this.run.store.seriesKey(id);
      const result = yield* this.statistics[member].of(key);
      yield;
      if (result === undefined) continue;
      series++;
      const finer = fine === undefined ? undefined : yield* fine.of(key, "buckets");
      if (json) texts.push(seriesText(result, finer?.slices));
      if (!csv || member !== "metrics") continue;
      const { before, after } = csvSeries(about, result, csvSafe);
      rows.push({ id, before, after });
    }
    return { series, json: this.encoder.encode(texts.join(BETWEEN_SERIES)), csv: rows };
  }
}

/** Another thread that computes units of the same run and plan. */
export interface UnitHelper {
  ask(unit: Unit): Promise<UnitTexts>;
}

export interface PassContext {
  /** Whether the text of the JSON artifact is wanted. */
  readonly json: boolean;
  /** Asked again and again: it may come late. */
  readonly helper: () => UnitHelper | undefined;
  readonly onShare: (share: number) => void;
  readonly signal: AbortSignal | undefined;
}

/** What a pass leaves behind. */
export interface PassOutcome {
  /** As the JSON artifact holds them, those of the warm-up included. */
  readonly series: number;
  readonly csv: readonly CsvFamily[];
}

/** How long the statistics may hold the event loop at a time. */
const HOLD_MS = 15;
/** Cells of a unit, about: some ten milliseconds of work. */
const UNIT_CELLS = 250_000;
/** A histogram has the columns of its buckets. */
const HISTOGRAM_CELLS = 20;
/** Units that a helper has at a time, so that it need not wait for the next. */
const AHEAD = 2;
/** Texts that wait for an earlier one, at most. */
const MAX_WAITING = 64;

/**
 * Computes all statistics, here and on the helper at the same time, and gives the text of the JSON artifact in order.
 * @throws the signal's reason; what the statistics throw
 */
export async function* statisticsPass(
  run: Run,
  plan: PassPlan,
  { json, signal, helper, onShare }: PassContext,
): AsyncGenerator<string | Uint8Array, PassOutcome> {
  const { window, phase, warmup } = artifactWindows(run, plan.window);
  const units = unitsOf(run, json && warmup !== undefined ? ["metrics", "warmup_metrics"] : ["metrics"], json);
  const computer = new UnitComputer(run, plan);
  const done = new Map<number, UnitTexts>();
  const helped = new Map<number, Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  let next = 0;
  let written = 0;
  const give = (to: UnitHelper) => {
    const at = next++;
    const unit = units[at];
    if (unit === undefined) return;
    const answer = to.ask(unit).then(
      (texts) => void done.set(at, texts),
      (error: unknown) => void (failure ??= { error }),
    );
    helped.set(
      at,
      answer.finally(() => helped.delete(at)),
    );
  };
  const facts = {
    ...runFacts(run, window),
    ...(phase === undefined ? {} : { phase }),
    ...(warmup === undefined ? {} : { warmup }),
  };
  const csv: CsvOfFamily[] = [];
  let series = 0;
  let metrics = new MetricsText("metrics");
  if (json) yield jsonStart(facts, { version: VERSION }) + metrics.start();
  let since = performance.now();
  const rest = async () => {
    if (performance.now() - since < HOLD_MS) return;
    onShare(written / units.length);
    await setImmediate();
    signal?.throwIfAborted();
    since = performance.now();
  };
  while (written < units.length) {
    if (failure !== undefined) throw failure.error;
    const other = helper();
    while (other !== undefined && helped.size < AHEAD && next < units.length) give(other);
    const unit = next - written > MAX_WAITING ? undefined : units[next];
    if (unit === undefined) {
      if (!done.has(written)) await Promise.race(helped.values());
      signal?.throwIfAborted();
    } else {
      const at = next++;
      const steps = computer.compute(unit);
      let step = steps.next();
      for (; step.done !== true; step = steps.next()) await rest();
      done.set(at, step.value);
    }
    for (let texts = done.get(written); texts !== undefined; texts = done.get(written)) {
      done.delete(written);
      const unit = units[written++];
      if (unit === undefined || texts.series === 0) continue;
      series += texts.series;
      addRows(csv, run, unit.about, texts.csv);
      if (!json) continue;
      let before = "";
      if (unit.member !== metrics.key) {
        before = metrics.end();
        metrics = new MetricsText(unit.member);
        before += metrics.start();
      }
      yield before + metrics.family(unit.about) + metrics.beforeSeries();
      yield texts.json;
    }
    await rest();
  }
  if (json) yield metrics.end() + jsonEnd(facts);
  return { series, csv };
}

/** The units of a run in the order of the artifacts. */
function unitsOf(run: Run, members: readonly Unit["member"][], json: boolean): readonly Unit[] {
  const families = familiesInOrder(run, {});
  return members.flatMap((member) =>
    families.flatMap(({ family, keys }) => {
      const { name, type, description } = family;
      const unit = familyUnit(family);
      const about: About = { name, type, description, ...(unit === undefined ? {} : { unit }) };
      const units: (Unit & { readonly ids: SeriesId[] })[] = [];
      let cells = Infinity;
      for (const { id, endpoint } of keys) {
        if (cells >= UNIT_CELLS) {
          units.push({ member, about, ids: [], json });
          cells = 0;
        }
        units.at(-1)?.ids.push(id);
        cells += (run.store.endpoints[endpoint]?.rows ?? 0) * (type === "histogram" ? HISTOGRAM_CELLS : 1);
      }
      return units;
    }),
  );
}

type CsvOfFamily = CsvFamily & { readonly series: CsvSeries[] };

/** Adds the rows of a unit, of which there are none for the warm-up. */
function addRows(all: CsvOfFamily[], run: Run, { name, type, description }: About, rows: UnitTexts["csv"]): void {
  if (rows.length === 0) return;
  let family = all.at(-1);
  if (family?.name !== name || family.type !== type) all.push((family = { name, type, description, series: [] }));
  for (const { id, before, after } of rows) {
    const { endpointUrl, labels } = run.store.seriesKey(id);
    family.series.push({ endpointUrl, labels, before, after });
  }
}
