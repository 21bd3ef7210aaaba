export { Store } from "./store.js";
export type { PartCells } from "./plan.js";
export { Run, type RunPart } from "./run.js";
export type { SeriesPart } from "./parts.js";
export type { EndpointAxis, RowKind } from "./endpoint.js";
export { downsample } from "./downsample.js";
export { positionOf, windowIndices } from "./window.js";
export { rowsOf, stretchesOf } from "./stretches.js";
export { readWhole, type Reading, type SeriesCells, type Source } from "./source.js";
