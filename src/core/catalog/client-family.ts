/** Of what a benchmark client saw. */
export const CLIENT_PREFIX = "client:";

/** Whether a family tells what a benchmark client saw, not a server. */
export function isClientFamily(name: string): boolean {
  return name.startsWith(CLIENT_PREFIX);
}
