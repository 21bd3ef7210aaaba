export * from "./bytes.js";
export * from "./zstd-frames.js";
