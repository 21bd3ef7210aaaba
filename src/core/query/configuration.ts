import { isList, type Json, type JsonObject } from "../text/index.js";
import type { ConfigNode } from "./types/index.js";

/** A configuration as a tree whose leaves are text: integers of any size survive every channel. */
export function configurationTree(config: JsonObject): ConfigNode[] {
  return Object.entries(config).flatMap(([key, value]) => (value === undefined ? [] : [nodeOf(key, value)]));
}

function nodeOf(key: string, value: Json): ConfigNode {
  if (isList(value)) return { key, kind: "list", children: value.map((item, i) => nodeOf(String(i), item)) };
  if (typeof value === "object" && value !== null) return { key, kind: "object", children: configurationTree(value) };
  return { key, kind: typeof value === "string" ? "text" : "literal", text: String(value) };
}
