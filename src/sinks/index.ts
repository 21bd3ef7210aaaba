export { RemoteWriter, type WriteReport, type WriterOptions } from "./remote-write/writer.js";
export { PUSH_JOB, PushError, pushSummary, type PushOptions } from "./pushgateway.js";
