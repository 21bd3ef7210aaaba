/** Names the memory that a worker thread may hold, in MiB. */
export const WORKER_MEMORY_VARIABLE = "SERVER_METRICS_WORKER_MEMORY";

/** What reading a file may take in this thread. */
export function fileMemory(): { readonly memoryMiB?: number } {
  const given = process.env[WORKER_MEMORY_VARIABLE];
  return given === undefined ? {} : { memoryMiB: Number(given) };
}
