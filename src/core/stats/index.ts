export { assumedReference, gapsInFile, firstInside, withFileStatistics } from "./file-statistics.js";
export { readSeries, sinceBirth } from "./born.js";
export * from "./run-statistics.js";
export * from "./run-window.js";
export * from "./steps.js";
export * from "./window.js";
export { gaugeInside, gaugeStatistics, gaugeStats } from "./gauge.js";
export { counterStatistics, counterIncrease, durationOf, perSecond } from "./counter.js";
export { histogramStatistics, risesOf, cutTrack } from "./histogram.js";
export { joinSegments, type HistogramTrack } from "./histogram-track.js";
export { sharedUppers } from "./shared-bounds.js";
export { intervalsWithin, mergeSequences, mergeSteps, mergeTotals } from "./merge.js";
export { chooseSliceSeconds, cutSlices, indicesAtBoundaries, type Slice } from "./slices.js";
export { endpointInfo, lastUpdateTime, usualScrapeSeconds } from "./endpoint-info.js";
export {
  goodputBounds,
  observesRequests,
  partBelow,
  shareBelow,
  shareBelowInSlice,
  pooledShare,
  type ShareBelow,
} from "./share-below.js";
export { levelSteps, effectiveSampleSize, type LevelStep } from "./level-steps.js";
export { outliersOf } from "./outliers.js";
export { criticalT, ENDS_OF_90, incompleteBeta, oneSidedP, twoSidedP } from "./student.js";
export { estimatesOfBuckets, knownEstimate, knownEstimates } from "./known-estimates.js";
export { moments } from "./moments.js";
export { percentilesInPlace } from "./select.js";
export * from "./quantiles/index.js";
