/** The order after the run at one place was moved to another. */
export function moved<T>(runs: readonly T[], from: number, to: number): T[] {
  const order = [...runs];
  const [one] = order.splice(from, 1);
  if (one !== undefined) order.splice(to, 0, one);
  return order;
}
