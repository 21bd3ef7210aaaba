import type { Objective } from "../core/catalog/objectives.js";
import type { Assertion } from "../core/compare/gates/assertion.js";
import type { MetricType, OffsetNs, SeriesId } from "../core/model/index.js";
import { fieldsOf, isFields, type Fields } from "../core/text/index.js";

/*
 * Small guards of which the shape of a message is put together. The compiler holds them to the types: a member that a
 * type has and its guard has not is an error.
 */

export interface Guard<T> {
  (value: unknown): value is T;
  /** Of what has parts: those of a value that pass. */
  readonly sound?: (value: unknown) => T | undefined;
}

/** What is sound of a value: all of it where it passes, else what is left without the parts that do not. */
export function soundPart<T>(guard: Guard<T>, value: unknown): T | undefined {
  if (guard(value)) return value;
  return value === undefined ? undefined : guard.sound?.(value);
}

type OptionalKeys<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T];
type Required<T> = { readonly [K in Exclude<keyof T, OptionalKeys<T>>]: Guard<T[K]> };
type Optional<T> = { readonly [K in OptionalKeys<T>]: Guard<Exclude<T[K], undefined>> };

/** Any text. */
export const text: Guard<string> = (value) => typeof value === "string";
/** True or false. */
export const flag: Guard<boolean> = (value) => typeof value === "boolean";
/** A number that is neither NaN nor infinite. */
export const finite: Guard<number> = (value): value is number => typeof value === "number" && Number.isFinite(value);
/** A number above 0. */
export const positive: Guard<number> = (value): value is number => finite(value) && value > 0;

/** A whole number from 0 to `most`. */
export function count(most: number): Guard<number> {
  return (value): value is number => Number.isSafeInteger(value) && finite(value) && value >= 0 && value <= most;
}

/** A number of a brand of its own. */
export function branded<T extends number>(guard: Guard<number>): Guard<T> {
  return (value): value is T => guard(value);
}

/** One of these texts. */
export function oneOf<T extends string>(...values: readonly T[]): Guard<T> {
  return (value): value is T => values.some((one) => one === value);
}

/** A list whose items all pass. */
export function list<T>(item: Guard<T>): Guard<readonly T[]> {
  const guard = (value: unknown): value is readonly T[] => Array.isArray(value) && value.every((one) => item(one));
  const sound = (value: unknown) =>
    Array.isArray(value) ? value.map((one) => soundPart(item, one)).filter((one) => one !== undefined) : undefined;
  return Object.assign(guard, { sound });
}

/** What one of two guards lets pass. */
export function either<A, B>(a: Guard<A>, b: Guard<B>): Guard<A | B> {
  return (value): value is A | B => a(value) || b(value);
}

/** null: there is none. */
export const nothing: Guard<null> = (value) => value === null;

/** Any keys, values of one kind. */
export function record<T>(item: Guard<T>): Guard<Readonly<Record<string, T>>> {
  const guard = (value: unknown): value is Readonly<Record<string, T>> =>
    isFields(value) && Object.values(value).every(item);
  const sound = (value: unknown) => {
    const kept = Object.fromEntries(Object.entries(fieldsOf(value)).filter(([, one]) => item(one)));
    return guard(kept) ? kept : undefined;
  };
  return Object.assign(guard, { sound });
}

/** Members besides those named are let pass: nobody reads them. */
export function object<T extends object>(required: Required<T>, optional: Optional<T>): Guard<T> {
  const musts = Object.entries<Guard<unknown>>(required);
  const mays = Object.entries<Guard<unknown>>(optional);
  const guard = (value: unknown): value is T =>
    isFields(value) &&
    musts.every(([name, member]) => member(own(value, name))) &&
    mays.every(([name, member]) => own(value, name) === undefined || member(own(value, name)));
  const sound = (value: unknown) => {
    const parts = [...musts, ...mays].map(([name, member]) => [name, soundPart(member, own(fieldsOf(value), name))]);
    const kept: unknown = Object.fromEntries(parts.filter(([, part]) => part !== undefined));
    return guard(kept) ? kept : undefined;
  };
  return Object.assign(guard, { sound });
}

/** What a guard lets pass. */
export type Passed<G> = G extends Guard<infer T> ? T : never;

type Guards = Readonly<Record<string, Guard<unknown>>>;
/** What `shape` lets pass. */
export type ShapeOf<R extends Guards, O extends Guards = Record<never, never>> = {
  readonly [K in keyof R]: Passed<R[K]>;
} & {
  readonly [K in keyof O]?: Passed<O[K]>;
};

/** As `object`, of a type that only its guards tell. */
export function shape<R extends Guards, O extends Guards>(required: R, optional: O): Guard<ShapeOf<R, O>>;
export function shape<R extends Guards>(required: R): Guard<ShapeOf<R>>;
export function shape(required: Guards, optional: Guards = {}): Guard<object> {
  return object<Fields>(required, optional);
}

function own(value: Fields, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** A question of a page: tells whether what came with it can be its params, and knows what answers it. */
export type Question<P, R> = Guard<P> & { readonly answer?: R };

/** Defines a question by its guard. */
export function answered<R = null>(): <P>(guard: Guard<P>) => Question<P, R> {
  return (guard) => guard;
}

/** Questions as requests: what comes with each, and what it is answered with. */
export type RequestsIn<Questions> = {
  [K in keyof Questions]: Questions[K] extends Question<infer P, infer R> ? { params: P; result: R } : never;
};

/** Beyond what any page asks for, and little enough for one answer. */
export const points = count(100_000);
/** Ids of series. */
export const series = list(branded<SeriesId>(count(Number.MAX_SAFE_INTEGER)));
/** A time from the run's origin. */
export const offset = branded<OffsetNs>(finite);
/** Nothing comes with it. */
export const none: Guard<Record<string, never>> = object<Record<never, never>>({}, {});
const metricType = oneOf<MetricType>("gauge", "counter", "histogram", "unknown");

/** An assertion, taken apart. */
export const assertion = object<Assertion>(
  {
    text,
    over: oneOf("all", "any"),
    family: text,
    selectors: list(object({ label: text, operator: oneOf("=", "!=", "=~", "!~"), value: text }, {})),
    statistic: text,
    operator: oneOf("<", "<=", ">", ">=", "==", "!="),
    limit: finite,
  },
  { threshold: finite },
);

/** A family, or all of a type. */
export const subject = either(
  object<{ readonly family: string }>({ family: text }, {}),
  object<{ readonly type: MetricType }>({ type: metricType }, {}),
);
/** Objectives. */
export const objectives = list(object<Objective>({ name: text, threshold: finite }, {}));
