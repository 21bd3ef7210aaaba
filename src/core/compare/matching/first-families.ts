import { canonicalName, isStaticFamily, keyMetricOf } from "../../catalog/index.js";
import { REQUEST_FAMILIES } from "../slices/anchors.js";

/**
 * The families that a first table is made of while the rest of large files is still being read: those of the
 * catalogue's key metrics, of the load, and what a server says of itself. All of them when the catalogue knows none.
 * @param names as the file has them
 */
export function firstFamilies(names: readonly string[]): readonly string[] {
  const first = names.filter((name) => keyMetricOf(name) !== undefined || REQUEST_FAMILIES.has(canonicalName(name)));
  return first.length === 0 ? names : names.filter((name) => first.includes(name) || isStaticFamily(name));
}
