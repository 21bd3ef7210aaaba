import type { SeriesKey } from "../model/index.js";
import type { SeriesQuery } from "./types/index.js";

/** Whether a series is among those asked about. */
export function isAsked({ id, endpointUrl, family }: SeriesKey, query: SeriesQuery): boolean {
  return (
    family.name === query.family &&
    query.series?.includes(id) !== false &&
    query.endpoints?.includes(endpointUrl) !== false
  );
}
