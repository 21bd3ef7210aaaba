import {
  familiesOf,
  generalPanels,
  panelsOf,
  panelStatistics,
  presentNames,
  serverByName,
  type KeyMetric,
  type KeyStatistic,
} from "../catalog/index.js";
import { labelValue, type Family, type SeriesKey } from "../model/index.js";
import type { Steps } from "../stats/index.js";
import { NOTHING, planOf, tileUnit, type MetricReader, type TilePlan } from "./tile.js";
import type { InstanceCourse, InstanceTable, Panel, PanelRow, TileReading } from "./types/index.js";

/** Rows of a metric that is split by a label, at the most. */
const MAX_VALUES = 8;

/** What a panel is read from. */
export interface PanelPlan extends Omit<Panel, "rows" | "withoutValues"> {
  readonly rows: readonly { readonly plan: TilePlan; readonly by?: string }[];
}

/**
 * The panels of one kind of server in a run with these families.
 * @param server its name; "" for endpoints that the catalogue does not know: their panels come from types and names
 */
export function panelPlans(families: readonly Family[], server: string): readonly PanelPlan[] {
  const byName = new Map(families.map((family) => [family.name, family]));
  const known = serverByName(server);
  if (known === undefined)
    return generalPanels(families).map(({ metrics, ...panel }) => ({
      ...panel,
      rows: metrics.flatMap((metric) => rowOf(metric, byName, server)),
      missing: [],
    }));
  return panelsOf(known).map(({ id, title, items, stacked, needs }) => {
    const rows = items.flatMap((metrics) =>
      metrics.flatMap(({ metric, by }) => {
        const [row] = rowOf(metric, byName, server);
        return row === undefined ? [] : [{ ...row, ...(by === undefined ? {} : { by }) }];
      }),
    );
    const missing = items.flatMap((metrics) =>
      metrics.some(({ metric }) => planOf(metric, byName, server) !== undefined)
        ? []
        : metrics.slice(0, 1).flatMap(({ metric }) => absentOf(metric, byName)),
    );
    return {
      id,
      title,
      rows,
      ...(stacked === undefined ? {} : { stacked }),
      missing: [...new Set(missing)],
      ...(needs === undefined || missing.length === 0 ? {} : { remedy: needs }),
    };
  });
}

function rowOf(metric: KeyMetric, byName: ReadonlyMap<string, Family>, server: string): { readonly plan: TilePlan }[] {
  const plan = planOf(metric, byName, server);
  return plan === undefined ? [] : [{ plan }];
}

function absentOf({ derived, family }: KeyMetric, byName: ReadonlyMap<string, Family>): readonly string[] {
  return (derived === undefined ? [family] : familiesOf(derived)).filter(
    (name) => presentNames(name, byName).length === 0,
  );
}

/** Reads a panel; rows without any value are named alone. @param reader of the series that it is about */
export function* panelSteps(reader: MetricReader, { rows, ...panel }: PanelPlan): Steps<Panel> {
  const read: PanelRow[] = [];
  for (const { plan, by } of rows) {
    const course = panel.stacked === true ? "avg" : plan.metric.statistic;
    if (by === undefined) read.push(yield* rowSteps(reader, plan, plan.metric.title, course));
    else read.push(...(yield* labelSteps(reader, plan, by, course)));
  }
  const hasValue = ({ figures }: PanelRow) => figures.some(({ value }) => !Number.isNaN(value));
  return {
    ...panel,
    rows: read.filter(hasValue),
    withoutValues: read.filter((row) => !hasValue(row)).map(({ title }) => title),
  };
}

/** A row for each value of a label, those that have most first. */
function* labelSteps(
  reader: MetricReader,
  plan: TilePlan,
  label: string,
  course: KeyStatistic,
): Steps<readonly PanelRow[]> {
  const valueOf = ({ labels }: SeriesKey) => labelValue(labels, label) ?? "";
  const rows: PanelRow[] = [];
  for (const value of new Set(reader.keysOf(plan.metric.family).map(valueOf))) {
    const own = reader.within((key) => valueOf(key) === value);
    rows.push(yield* rowSteps(own, plan, value === "" ? plan.metric.title : value, course));
  }
  const position = rows.every(({ title }) => /^\d+$/.test(title));
  const most = ({ figures }: PanelRow) => figures[0]?.value ?? NaN;
  return rows.sort((a, b) => (position ? Number(a.title) - Number(b.title) : most(b) - most(a))).slice(0, MAX_VALUES);
}

/** @param course the statistic whose sparkline is shown */
function* rowSteps(reader: MetricReader, plan: TilePlan, title: string, course: KeyStatistic): Steps<PanelRow> {
  const { metric, family } = plan;
  const statistics = panelStatistics(metric);
  const readings: readonly TileReading[] = yield* reader.read(plan, statistics);
  const figures = readings.map(({ value, atLeast }, i) => {
    const statistic = statistics[i] ?? metric.statistic;
    const unit = metric.derived === undefined ? tileUnit(statistic, family) : metric.unit;
    return {
      statistic: metric.derived !== undefined && unit === "ratio" ? "ratio" : statistic,
      ...(unit === undefined ? {} : { unit }),
      value,
      ...(atLeast === undefined ? {} : { atLeast }),
    };
  });
  const at = Math.max(0, metric.derived === undefined ? statistics.indexOf(course) : 0);
  const note = readings.find((reading) => reading.note !== undefined)?.note;
  return {
    title,
    family: family.name,
    direction: metric.direction,
    ...(metric.hint === undefined ? {} : { hint: metric.hint }),
    ...(note === undefined ? {} : { note }),
    figures,
    sparkline: readings[at]?.sparkline ?? new Float64Array(0),
  };
}

/** A metric endpoint by endpoint. */
export function* instanceSteps(
  reader: MetricReader,
  plan: TilePlan,
  endpoints: readonly string[],
): Steps<readonly TileReading[]> {
  const readings: TileReading[] = [];
  for (const url of endpoints) {
    const [reading] = yield* reader.within((key) => key.endpointUrl === url).read(plan, [plan.metric.statistic]);
    readings.push(reading ?? NOTHING);
    yield;
  }
  return readings;
}

/** @param columns readings of each plan, an endpoint after the other */
export function instanceTable(
  server: string,
  plans: readonly TilePlan[],
  endpoints: readonly string[],
  columns: readonly (readonly TileReading[])[],
): InstanceTable {
  return {
    server,
    columns: plans.map(({ metric, family, unit }) => ({
      id: metric.id,
      title: metric.title,
      family: family.name,
      statistic: metric.derived !== undefined && unit === "ratio" ? "ratio" : metric.statistic,
      direction: metric.direction,
      ...(unit === undefined ? {} : { unit }),
    })),
    endpoints,
    values: Float64Array.from(endpoints.flatMap((_, e) => columns.map((column) => column[e]?.value ?? NaN))),
  };
}

/** How one metric went at each endpoint. */
export function instanceCourse(
  { metric, family, unit }: TilePlan,
  endpoints: readonly string[],
  readings: readonly TileReading[],
): InstanceCourse {
  const points = Math.max(0, ...readings.map(({ sparkline }) => sparkline.length));
  // An endpoint that joined late has fewer: all courses end together.
  const values = readings.flatMap(({ sparkline }) => [
    ...Array.from({ length: points - sparkline.length }, () => NaN),
    ...sparkline,
  ]);
  return {
    family: family.name,
    title: metric.title,
    ...(unit === undefined ? {} : { unit }),
    endpoints,
    points,
    values: Float64Array.from(values),
  };
}
