export { Capture, startCapture, type CaptureListener, type CaptureState } from "./capture.js";
export { spawnEngine, type EngineClient, type SpawnedEngine } from "./client.js";
export { engineError } from "./described.js";
export { runSteps } from "./stepper.js";
