export { Capture, NOTHING_CAPTURED, type CaptureListener, type CaptureStage } from "./capture/capture.js";
export {
  spawnComparison,
  spawnEngine,
  type ComparisonClient,
  type EngineClient,
  type Spawned,
  type SpawnedEngine,
} from "./client.js";
export { engineError } from "./engine-error.js";
export { forgetJson, jsonWords } from "./capture/json-endpoints.js";
export { keepBeside, resultsOf, type RanCommand } from "./capture/load-generator.js";
export { LiveTiles } from "./capture/live-tiles.js";
export { probeAndRemember } from "./capture/probing.js";
export { startCapture } from "./capture/start.js";
export { runSteps } from "./stepper.js";
