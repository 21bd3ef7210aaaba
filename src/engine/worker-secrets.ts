import { useSecretParameters } from "../core/text/index.js";

/** By which a worker thread gets the names of secret query parameters. */
export const SECRET_PARAMETERS_VARIABLE = "SERVER_METRICS_SECRET_PARAMETERS";

/** To be called first in a worker thread. */
export function adoptSecretParameters(): void {
  const names = process.env[SECRET_PARAMETERS_VARIABLE];
  if (names !== undefined) useSecretParameters(names.split(",").filter((name) => name !== ""));
}
