import { useSecretParameters } from "../core/text/index.js";

/** Names the memory that a worker thread may hold, in MiB. */
export const WORKER_MEMORY_VARIABLE = "SERVER_METRICS_WORKER_MEMORY";

/** What reading a file may take in this thread. */
export function fileMemory(): { readonly memoryMiB?: number } {
  const given = process.env[WORKER_MEMORY_VARIABLE];
  return given === undefined ? {} : { memoryMiB: Number(given) };
}

/** By which a worker thread gets the names of secret query parameters. */
export const SECRET_PARAMETERS_VARIABLE = "SERVER_METRICS_SECRET_PARAMETERS";

/** To be called first in a worker thread. */
export function adoptSecretParameters(): void {
  const names = process.env[SECRET_PARAMETERS_VARIABLE];
  if (names !== undefined) useSecretParameters(names.split(",").filter((name) => name !== ""));
}
