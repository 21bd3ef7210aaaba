import { fieldsOf } from "../text/index.js";

/** The value where it is a list; an empty one for everything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A finite number; undefined for everything else. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** A text that is not empty; undefined for everything else. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** What a file holds at the first of these places that it has: "load.name", "models.0". Null and "" say nothing. */
export function valueAt(file: unknown, ...places: readonly string[]): unknown {
  const inside = (value: unknown, key: string) => fieldsOf(value)[key] ?? listOf(value)[Number(key)];
  const values = places.map((place) => place.split(".").reduce(inside, file));
  return values.find((value) => value !== undefined && value !== null && value !== "");
}

/** The number there; undefined for everything else. */
export function numberAt(file: unknown, ...places: readonly string[]): number | undefined {
  return numberOf(valueAt(file, ...places));
}

/** The text there; undefined for everything else. */
export function textAt(file: unknown, ...places: readonly string[]): string | undefined {
  return textOf(valueAt(file, ...places));
}
