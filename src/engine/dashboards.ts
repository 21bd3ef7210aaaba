import {
  familiesOfPlan,
  instanceCourse,
  instanceSteps,
  instanceTable,
  metricReader,
  panelPlans,
  panelSteps,
  tileOf,
  tilePlans,
  type Dashboard,
  type InstanceCourse,
  type InstanceTable,
  type MetricReader,
  type Panel,
  type TileReading,
  type Tile,
  type TilePlan,
} from "../core/query/index.js";
import type { EndpointStatus, RunRequests } from "../protocol/index.js";
import type { Answers } from "./answers.js";
import { engineError } from "./engine-error.js";
import { runSteps } from "./stepper.js";

/** What dashboards are computed from. */
interface Observed {
  readonly answers: Answers;
  readonly endpoints: readonly EndpointStatus[];
}

/** Those of a kind of server; "": those of which no server is known. */
function endpointsOf(endpoints: readonly EndpointStatus[], server: string): readonly string[] {
  return endpoints
    .filter(({ servers }) => (server === "" ? servers.length === 0 : servers.includes(server)))
    .map(({ url }) => url);
}

/** The panels of one kind of server. Answers in steps. @throws UserError; the signal's reason */
export async function dashboardOf(
  { answers, endpoints }: Observed,
  { server, endpointUrl }: RunRequests["dashboard"]["params"],
  signal: AbortSignal,
): Promise<Dashboard> {
  const own = new Set(endpointUrl === undefined ? endpointsOf(endpoints, server) : [endpointUrl]);
  const panels: Panel[] = [];
  for (const plan of panelPlans(answers.definitions(), server)) {
    const rows = plan.rows.map((row) => row.plan);
    const reader = (await readerOf(answers, rows, signal)).within((key) => own.has(key.endpointUrl));
    panels.push(await runSteps(panelSteps(reader, plan), signal));
  }
  return { server, panels };
}

/** The key metrics of a kind of server, endpoint by endpoint. @throws UserError; the signal's reason */
export async function instancesOf(
  { answers, endpoints }: Observed,
  { server }: RunRequests["instances"]["params"],
  signal: AbortSignal,
): Promise<InstanceTable> {
  const own = endpointsOf(endpoints, server);
  const plans = tilePlans(answers.definitions()).filter((plan) => plan.server === server);
  const columns: (readonly TileReading[])[] = [];
  for (const plan of plans) {
    const reader = await readerOf(answers, [plan], signal);
    columns.push(await runSteps(instanceSteps(reader, plan, own), signal));
  }
  return instanceTable(server, plans, own, columns);
}

/** One key metric, endpoint by endpoint. @throws UserError "no-metric"; the signal's reason */
export async function instanceCourseOf(
  { answers, endpoints }: Observed,
  { server, metric }: RunRequests["instanceCourse"]["params"],
  signal: AbortSignal,
): Promise<InstanceCourse> {
  const plan = tilePlans(answers.definitions()).find((one) => one.metric.id === metric);
  if (plan === undefined) throw engineError("no-metric", `this run has no ${metric}`);
  const own = endpointsOf(endpoints, server);
  const reader = await readerOf(answers, [plan], signal);
  return instanceCourse(plan, own, await runSteps(instanceSteps(reader, plan, own), signal));
}

/** The key metrics of one endpoint. @throws UserError; the signal's reason */
export async function tilesOf(
  { answers }: Observed,
  { endpointUrl }: RunRequests["tiles"]["params"],
  signal: AbortSignal,
): Promise<readonly Tile[]> {
  const tiles: Tile[] = [];
  for (const plan of tilePlans(answers.definitions())) {
    const reader = (await readerOf(answers, [plan], signal)).within((key) => key.endpointUrl === endpointUrl);
    const [reading] = await runSteps(reader.read(plan, [plan.metric.statistic]), signal);
    // What the endpoint does not expose is no tile of it.
    if (reading !== undefined && reader.keysOf(plan.metric.family).length > 0) tiles.push(tileOf(plan, reading));
  }
  return tiles;
}

/** Reads what these plans are of, once the samples are there. @throws UserError; the signal's reason */
async function readerOf(answers: Answers, plans: readonly TilePlan[], signal: AbortSignal): Promise<MetricReader> {
  const names = new Set(answers.definitions().map(({ name }) => name));
  return metricReader(await answers.of([...new Set(plans.flatMap((plan) => familiesOfPlan(plan, names)))], signal));
}
