export { readAiperfAggregates, readAiperfRunConfig, slicesOfRows } from "./aiperf.js";
export {
  clientServer,
  clientServerSteps,
  isComparedWithClient,
  type ClientServer,
  type ShareClass,
} from "./client-server.js";
export { clientServerCells, clientServerJson, clientServerMarkdown } from "./report.js";
export { clientFamily, isClientEndpoint } from "./families.js";
export { CLIENT, CLIENT_RATES, spanOf, statisticsOfRequests } from "./metrics.js";
export { withoutFarTimes, overlapSeconds, placed, type Placing } from "./place.js";
export {
  aiperfResult,
  isClientFile,
  isClientRecords,
  isSlicesCsv,
  readAiperfRecord,
  readClientData,
  readClientJson,
  type ClientFile,
} from "./read.js";
export { addClientSeries, clientUrl, type ClientFrame } from "./series.js";
export type * from "./types.js";
