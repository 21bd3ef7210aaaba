/** Results are equal within 1e-9 relative or 1e-12 absolute. */
export function near(a: number, b: number): boolean {
  if (Object.is(a, b) || a === b) return true;
  const distance = Math.abs(a - b);
  return distance <= 1e-12 || distance <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
}

/** Numbers by `near`, all else exactly. */
export function different(a: unknown, b: unknown): boolean {
  return typeof a === "number" && typeof b === "number" ? !near(a, b) : a !== b;
}
