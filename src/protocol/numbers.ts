/*
 * Messages to a webview pass through JSON, which makes null of NaN and the infinities; only typed arrays go beside it
 * as they are.
 */

const KEY = "$number";

/** A value in which numbers that JSON cannot write are replaced by their names; the value itself without any. */
export function packNumbers(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : { [KEY]: String(value) };
  return mapped(value, packNumbers);
}

/** What `packNumbers` was given. */
export function unpackNumbers(value: unknown): unknown {
  if (typeof value === "object" && value !== null && KEY in value) return Number(value[KEY]);
  return mapped(value, unpackNumbers);
}

/** A list or plain object with its members changed; anything else, and what does not change, as it is. */
function mapped(value: unknown, change: (member: unknown) => unknown): unknown {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
    return value;
  if (Array.isArray(value)) {
    const items = value.map(change);
    return items.every((item, i) => Object.is(item, value[i])) ? value : items;
  }
  const entries = Object.entries(value);
  const members = entries.map(([key, member]) => [key, change(member)] as const);
  return members.every(([, member], i) => Object.is(member, entries[i]?.[1])) ? value : Object.fromEntries(members);
}
