import { isOfConfiguration } from "./run-metadata.js";

/** What tells whether runs are repeats of each other. */
export interface RunTraits {
  /** What was configured, by its path. */
  readonly configured: ReadonlyMap<string, string>;
  /** Where it came from, by its path; empty where nothing is recorded. */
  readonly provenance: ReadonlyMap<string, string>;
  /** What its servers say of themselves. */
  readonly facts: ReadonlyMap<string, string>;
  readonly servers: readonly string[];
  readonly models: readonly string[];
  /** Length of what is measured. */
  readonly seconds: number;
  /** What the load really was: requests finished per second; NaN where no metric tells. */
  readonly requestRate: number;
  /** As the load generator's own result tells: "concurrency 8". */
  readonly clientLoad?: string | undefined;
}

/** Runs whose lengths differ by more than this share do not vary alike. */
const LENGTH_TOLERANCE = 0.2;
/** Rates of repeats lie closer together; those of two loads seldom do, unless the server is saturated by both. */
const RATE_TOLERANCE = 0.3;
/** Standard errors of a count of requests that chance does not reach. */
const ERRORS = 3.5;

/** What of their origin makes runs ones of other configurations. */
const OF_CONFIGURATION = /^servers\[\d+\]\.(?:version|models|settings)\b/;

/** Paths under which load generators keep the load that they were set to. */
const LOADS: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\.)concurrency$/i, "concurrency"],
  [/(?:^|\.)request_?rate$/i, "requests/s"],
];

/** The load that a benchmark client was set to, as `RunTraits.clientLoad`; of several loads each. */
export function clientLoad(
  results: readonly { readonly concurrency?: number | undefined; readonly requestRate?: number | undefined }[],
): string | undefined {
  const loads = results.flatMap(({ concurrency, requestRate }) =>
    concurrency !== undefined
      ? [`concurrency ${concurrency}`]
      : requestRate === undefined
        ? []
        : [`requests/s ${requestRate}`],
  );
  return loads.length === 0 ? undefined : [...new Set(loads)].join(", ");
}

/**
 * The load that was asked for, "concurrency 8": as the client's result has it, the settings that the load generator
 * keeps, or its command line. Undefined where none of them tells.
 */
export function requestedLoad({
  clientLoad,
  configured,
  provenance,
}: Pick<RunTraits, "clientLoad" | "configured" | "provenance">): string | undefined {
  if (clientLoad !== undefined) return clientLoad;
  for (const [path, unit] of LOADS)
    for (const [name, value] of configured) if (path.test(name)) return `${unit} ${value}`;
  const line = provenance.get("command.line") ?? "";
  const [, name, value] = /\s--?(concurrency|request-rate|max-concurrency|rate)[=\s]+(\S+)/.exec(line) ?? [];
  return name === undefined || value === undefined ? undefined : `${name.replace("-", " ")} ${value}`;
}

/** Whether anything tells the load of a run: what was asked for, or what the servers finished. */
export function isLoadKnown(traits: RunTraits): boolean {
  return requestedLoad(traits) !== undefined || !Number.isNaN(traits.requestRate);
}

/**
 * Whether runs are of one configuration, one load (as it was asked for and as it really was) and of like lengths, as
 * far as they tell.
 */
export function isRepeat(a: RunTraits, b: RunTraits): boolean {
  const [x, y] = [requestedLoad(a), requestedLoad(b)];
  return (
    apart(a.seconds, b.seconds) <= LENGTH_TOLERANCE &&
    (x === undefined || y === undefined || x === y) &&
    !(apart(a.requestRate, b.requestRate) > rateTolerance(a, b)) &&
    isEqual(a.configured, b.configured, isOfConfiguration) &&
    agree(a.provenance, b.provenance, (path) => OF_CONFIGURATION.test(path)) &&
    agree(a.facts, b.facts, isOfConfiguration) &&
    a.servers.join() === b.servers.join() &&
    isSame(a.models, b.models)
  );
}

/** Runs that are repeats of the first of their group, in the order of these. */
export function groupRepeats<Run>(
  runs: readonly Run[],
  belong: (first: Run, run: Run, others: readonly Run[]) => boolean,
): readonly (readonly Run[])[] {
  const groups: Run[][] = [];
  for (const run of runs) {
    const own = groups.find((group) => group[0] !== undefined && belong(group[0], run, group));
    if (own === undefined) groups.push([run]);
    else own.push(run);
  }
  return groups;
}

/** Of few requests chance makes rates differ more. */
function rateTolerance(a: RunTraits, b: RunTraits): number {
  const [x, y] = [a.requestRate * a.seconds, b.requestRate * b.seconds];
  return Math.max(RATE_TOLERANCE, (ERRORS * Math.sqrt(x + y)) / Math.max(x, y));
}

/** How far two amounts lie apart, as a share of the greater; NaN where one is unknown, 0 of two zeros. */
export function apart(a: number, b: number): number {
  return a === b ? 0 : Math.abs(a - b) / Math.max(a, b);
}

type Leaves = ReadonlyMap<string, string>;

function isEqual(a: Leaves, b: Leaves, isMeant: (path: string) => boolean): boolean {
  return [...new Set([...a.keys(), ...b.keys()])].every((path) => !isMeant(path) || a.get(path) === b.get(path));
}

/** What only one of them tells is no difference. */
function agree(a: Leaves, b: Leaves, isMeant: (path: string) => boolean): boolean {
  return [...a].every(([path, value]) => !isMeant(path) || !b.has(path) || b.get(path) === value);
}

/** As `agree`: nothing is not told. */
function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === 0 || b.length === 0 || a.join() === b.join();
}
