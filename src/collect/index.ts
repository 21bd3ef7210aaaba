export * from "./types.js";
export * from "./time.js";
export { InvalidUrlError, normalizeUrl, redactUrl, validateUrl } from "./url.js";
export { familyFilter } from "./filter.js";
export { discoveryEndpoints, probeEndpoints, type ProbeProgress, type ProbeResult } from "./probe.js";
export { ServerEventReader } from "./server-events.js";
export { Collector } from "./collector.js";
export { parsedJson } from "./json-body.js";
export { ServerClient, type ServerAnswer, type ServerRequest } from "./server-client.js";
