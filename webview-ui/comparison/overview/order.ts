/** The order after the run at one place was moved to another. */
export function moved<T>(runs: readonly T[], from: number, to: number): T[] {
  const order = [...runs];
  const [one] = order.splice(from, 1);
  if (one !== undefined) order.splice(to, 0, one);
  return order;
}

/** More than these leave no room for the rows that are compared, unless what is known of the runs is folded. */
const FEW_RUNS = 3;

export function isMany(runs: { readonly length: number }): boolean {
  return runs.length > FEW_RUNS;
}
