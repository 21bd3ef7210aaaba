export * from "./messages.js";
export * from "./channel.js";
export * from "./numbers.js";
export * from "./run.js";
export * from "./engine.js";
