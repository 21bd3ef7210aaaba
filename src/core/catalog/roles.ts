import type { Labels } from "../model/index.js";
import { conceptOf } from "./concepts/index.js";
import type { ServerId } from "./definition.js";
import { serverOf } from "./recognise.js";

/** What an endpoint does for a request; "both" computes prompts and tokens. */
export type Role = "frontend" | "router" | "prefill" | "decode" | "both" | "encoder" | "cache";

/** In the order in which a request meets them. */
export const ROLES: readonly Role[] = ["frontend", "router", "encoder", "prefill", "decode", "both", "cache"];

/** One series of an endpoint, of which only name and labels matter; of a counter also how far it rose. */
export interface RoleSeries {
  readonly name: string;
  readonly labels: Labels;
  /** Increase over the window or since the start, whichever is known. */
  readonly total?: number;
}

const ENGINES: readonly ServerId[] = ["vllm", "sglang", "trtllm", "tgi", "llamacpp"];

/** What stands before engines or beside them, where a page has no engine: the first that it has. */
const OTHERS: readonly (readonly [ServerId, Role])[] = [
  ["dynamo-frontend", "frontend"],
  ["epp", "router"],
  ["dynamo-router", "router"],
  ["lmcache", "cache"],
  ["kvbm", "cache"],
];

/** Labels by which engines, Dynamo's components and deployments say it. */
const ROLE_LABEL = /^(engine_type|role|kv_role|disaggregation_mode)$/;
const STATED_ROLES: readonly (readonly [RegExp, Role])[] = [
  [/^(unified|kv_both)$/, "both"],
  [/prefill|kv_producer/i, "prefill"],
  [/decode|kv_consumer/i, "decode"],
  [/^encoder?$/i, "encoder"],
  [/router/i, "router"],
];

/** Tokens that a prefill worker generates for a request: the first, which shows that it is done. */
const MOST_OF_PREFILL = 1.5;
/** Requests that show it. */
const ENOUGH = 10;

/** What one endpoint tells of itself. */
interface EndpointRole {
  readonly role: Role | undefined;
  /** It says so in a label; else it follows from the names of its families. */
  readonly stated: boolean;
  /** Models and Dynamo's namespace: which deployment it is of. */
  readonly names: ReadonlyMap<string, string>;
}

/**
 * The role of each endpoint of a run that has one; machines and load generators have none. An engine is asked first,
 * then the names of families. A worker that says nothing computes both, unless another one of its deployment computes
 * the prompts: then it decodes.
 */
export function rolesOf(byEndpoint: ReadonlyMap<string, Iterable<RoleSeries>>): ReadonlyMap<string, Role> {
  const endpointRoles = new Map([...byEndpoint].map(([url, series]) => [url, endpointRole(series)] as const));
  const prefills = [...endpointRoles.values()].filter(({ role }) => role === "prefill");
  return new Map(
    [...endpointRoles].flatMap(([url, own]) => {
      const decodes =
        own.role === "both" && !own.stated && prefills.some((other) => areTogether(own.names, other.names));
      const role = decodes ? "decode" : own.role;
      return role === undefined ? [] : [[url, role] as const];
    }),
  );
}

/** Whether some of the endpoints compute prompts and others tokens. */
export function isDisaggregated(roles: Iterable<Role | undefined>): boolean {
  const present = new Set(roles);
  return present.has("prefill") && present.has("decode");
}

/** As `rolesOf`, for views: none where no deployment is disaggregated, for there a server's name says it. */
export function shownRoles(byEndpoint: ReadonlyMap<string, Iterable<RoleSeries>>): ReadonlyMap<string, Role> {
  const roles = rolesOf(byEndpoint);
  return isDisaggregated(roles.values()) ? roles : new Map();
}

/** Nothing that both name differs. */
function areTogether(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return [...a].every(([key, value]) => (b.get(key) ?? value) === value);
}

function endpointRole(series: Iterable<RoleSeries>): EndpointRole {
  const servers = new Set<ServerId>();
  const names = new Map<string, string>();
  let stated: Role | undefined;
  let isWorker = false;
  /** Families of an engine that are about more than encoding. */
  let generates = false;
  let [tokens, finished] = [0, 0];
  const known = new Map<string, ReturnType<typeof aboutFamily>>();
  for (const { name, labels, total } of series) {
    const { server, isEngine, concept } = known.get(name) ?? aboutFamily(name);
    if (!known.has(name)) known.set(name, { server, isEngine, concept });
    if (server === undefined) continue;
    servers.add(server);
    if (isEngine) generates ||= !/[:_]encoder_/.test(name);
    // A frontend's router names its workers' component on its own page, but not their endpoint.
    const isOwn = isEngine || labels.some(([key]) => key === "dynamo_endpoint");
    for (const [key, value] of labels) {
      if (key === "dynamo_component" && isOwn && !isEngine) {
        isWorker = true;
        stated ??= statedRole(value);
      } else if (isEngine && ROLE_LABEL.test(key)) stated ??= statedRole(value);
      if (isOwn && /^(dynamo_namespace|model|model_name)$/.test(key))
        names.set(key.replace(/^model_name$/, "model"), value);
    }
    if (!isEngine || total === undefined) continue;
    if (concept === "generation-tokens") tokens += total;
    else if (concept === "finished") finished += total;
  }
  if (stated !== undefined) return { role: stated, stated: true, names };
  const has = (id: ServerId) => servers.has(id);
  if (ENGINES.some(has) || isWorker) {
    const isPrefill = finished >= ENOUGH && tokens > 0 && tokens / finished < MOST_OF_PREFILL;
    return { role: isPrefill ? "prefill" : generates || isWorker ? "both" : "encoder", stated: false, names };
  }
  return { role: OTHERS.find(([id]) => has(id))?.[1], stated: false, names };
}

function aboutFamily(name: string) {
  const server = serverOf(name)?.id;
  return { server, isEngine: server !== undefined && ENGINES.includes(server), concept: conceptOf(name)?.concept.id };
}

function statedRole(value: string): Role | undefined {
  return STATED_ROLES.find(([pattern]) => pattern.test(value))?.[1];
}
