export { exportArtifacts } from "./export.js";
export { FileError, PartialExport } from "./failure.js";
export { makeFolder } from "./folder.js";
export * from "./journal/index.js";
export { canCompress, withoutZstd } from "./packed.js";
export { replayScrapeLog, type Replayed, type ReplayOptions } from "./replay.js";
export { runFolderName } from "./run-folder.js";
export { VERSION } from "./version.js";
export { sweepFolder } from "./sweep.js";
