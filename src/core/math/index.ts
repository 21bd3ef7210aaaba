export * from "./adjust-p.js";
export * from "./averages.js";
export * from "./group-by.js";
export * from "./random.js";
