/** What JSON can hold, with integers beyond 2^53 as bigint. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** An object of another program, whose fields may be missing or of another type. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a parsed value is an object: neither null nor a list. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a parsed value is a list, of anything. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** An object of it; an empty one where it is something else. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** A text of it; an empty one where it is something else. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A number of it; NaN where it is something else. */
export function numberOf(value: unknown): number {
  return typeof value === "number" ? value : NaN;
}

/** The texts in a list of it; none where it is something else. */
export function textsOf(value: unknown): string[] {
  return isList(value) ? value.filter((item) => typeof item === "string") : [];
}
