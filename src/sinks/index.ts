export { RemoteWriter, type WriteReport } from "./remote-write/writer.js";
export { PUSH_JOB, PushError, pushSummary } from "./pushgateway.js";
