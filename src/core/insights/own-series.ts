import { familyResult, type FamilyResult, type SeriesResult } from "../model/index.js";
import { groupBy } from "../math/index.js";

/** Families of each endpoint, each with the endpoint's series alone. */
export function familiesByEndpoint(families: readonly FamilyResult[]): ReadonlyMap<string, readonly FamilyResult[]> {
  return groupBy(families.flatMap(ownOf), ({ series }) => series[0]?.endpointUrl ?? "");
}

/** A family once for each of its endpoints. */
function ownOf(family: FamilyResult): readonly FamilyResult[] {
  const byEndpoint = groupBy<string, SeriesResult>(family.series, ({ endpointUrl }) => endpointUrl);
  return [...byEndpoint.values()].map((series) => familyResult(family, family.unit, series));
}
