import type { Json } from "../../text/index.js";

/** JSON, with maps for objects whose keys may look like integers: a plain object would put those first. */
export type Writable =
  Json | ReadonlyMap<string, Writable> | readonly Writable[] | { readonly [key: string]: Writable | undefined };

/** JSON text of a value; bigints as exact integers; members that are absent or not finite are left out. */
export function jsonText(value: Writable, indent = ""): string {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number" && !Number.isFinite(value)) return "null";
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const inner = `${indent}  `;
  if (isArray(value)) {
    if (value.every(isCell)) return `[${value.map((item) => jsonText(item)).join(", ")}]`;
    return value.length === 0
      ? "[]"
      : `[\n${value.map((item) => inner + jsonText(item, inner)).join(",\n")}\n${indent}]`;
  }
  const members: string[] = [];
  for (const [key, item] of membersOf(value)) {
    if (item === undefined || (typeof item === "number" && !Number.isFinite(item))) continue;
    members.push(`${inner}${JSON.stringify(key)}: ${jsonText(item, inner)}`);
  }
  return members.length === 0 ? "{}" : `{\n${members.join(",\n")}\n${indent}}`;
}

/** In one line; members that are absent are left out, and what is not finite is null. */
export function lineText(value: Writable): string {
  if (typeof value === "bigint") return value.toString();
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isArray(value)) return `[${value.map(lineText).join(",")}]`;
  const members = [...membersOf(value)].flatMap(([key, item]) =>
    item === undefined ? [] : [`${JSON.stringify(key)}:${lineText(item)}`],
  );
  return `{${members.join(",")}}`;
}

/** Lists of numbers stand in one line. */
function isCell(value: Writable): boolean {
  return typeof value === "number" || value === null;
}

/** What an object or a map holds, in its order. */
export function membersOf(value: Writable & object): Iterable<readonly [string, Writable | undefined]> {
  return value instanceof Map
    ? (value as ReadonlyMap<string, Writable>)
    : Object.entries(value as { readonly [key: string]: Writable | undefined });
}

/** `Array.isArray` that keeps read-only arrays apart from objects. */
export function isArray(value: Writable): value is readonly Writable[] {
  return Array.isArray(value);
}
