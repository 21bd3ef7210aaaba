export * from "./messages.js";
export * from "./channel.js";
export * from "./numbers.js";
export type * from "./run-header.js";
export * from "./run-requests.js";
export type * from "./view-requests.js";
export * from "./engine.js";
export { COMPARISON_GUARDS, EXPERIMENT_GUARDS, SWEEP_GUARDS, VIEW_GUARDS } from "./view-guards.js";
export type * from "./stores.js";
