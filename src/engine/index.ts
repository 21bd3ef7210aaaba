export { Capture, NOTHING_CAPTURED, type CaptureListener, type CaptureState } from "./capture.js";
export {
  spawnComparison,
  spawnEngine,
  type ComparisonClient,
  type EngineClient,
  type Spawned,
  type SpawnedEngine,
} from "./client.js";
export { shortLabels, type Named } from "./comparison-labels.js";
export { engineError } from "./described.js";
export { forgetJson, jsonWords } from "./json-endpoints.js";
export { LiveTiles } from "./live-tiles.js";
export { probeAndRemember } from "./probing.js";
export { startCapture } from "./start-capture.js";
export { runSteps } from "./stepper.js";
