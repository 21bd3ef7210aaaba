import type { FamilyResult, SeriesResult } from "../model/index.js";

/** Families of each endpoint, each with the endpoint's series alone. */
export function familiesByEndpoint(families: readonly FamilyResult[]): ReadonlyMap<string, readonly FamilyResult[]> {
  const found = new Map<string, FamilyResult[]>();
  for (const family of families)
    for (const own of ownOf(family)) {
      const url = own.series[0]?.endpointUrl;
      if (url === undefined) continue;
      const list = found.get(url);
      if (list === undefined) found.set(url, [own]);
      else list.push(own);
    }
  return found;
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
  const found = new Map<string, S[]>();
  for (const one of series) {
    const list = found.get(one.endpointUrl);
    if (list === undefined) found.set(one.endpointUrl, [one]);
    else list.push(one);
  }
  return [...found.values()];
}
