export { Store } from "./store.js";
export type { StoredSeries } from "./series.js";
export type { PartCells } from "./plan.js";
export { Run, type RunPart, type TaggedRange } from "./run.js";
export type { SeriesPart } from "./parts.js";
export type { EndpointAxis, RowKind } from "./endpoint.js";
export { downsample, lowerBound, positionOf, upperBound, windowIndices } from "./window.js";
export { Scratch, numbersIn } from "./memory.js";
export {
  rowsOf,
  stretchesOf,
  fillFrom,
  readWhole,
  type ScrapeReading,
  type SeriesCells,
  type ScrapeSource,
} from "./source.js";
