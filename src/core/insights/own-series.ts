import { groupBy, type FamilyResult, type SeriesResult } from "../model/index.js";

/** Families of each endpoint, each with the endpoint's series alone. */
export function familiesByEndpoint(families: readonly FamilyResult[]): ReadonlyMap<string, readonly FamilyResult[]> {
  return groupBy(families.flatMap(ownOf), ({ series }) => series[0]?.endpointUrl ?? "");
}

/** A family once for each of its endpoints. */
function ownOf(family: FamilyResult): readonly FamilyResult[] {
  switch (family.type) {
    case "counter":
      return byEndpoint(family.series).map((series) => ({ ...family, series }));
    case "histogram":
      return byEndpoint(family.series).map((series) => ({ ...family, series }));
    case "gauge":
    case "unknown":
      return byEndpoint(family.series).map((series) => ({ ...family, series }));
  }
}

function byEndpoint<S extends SeriesResult>(series: readonly S[]): readonly (readonly S[])[] {
  return [...groupBy(series, ({ endpointUrl }) => endpointUrl).values()];
}
