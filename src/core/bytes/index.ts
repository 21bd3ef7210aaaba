export * from "./byte-buffer.js";
export * from "./zstd-frames.js";
