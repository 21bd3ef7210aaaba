/** The order after a run was moved to another place. */
export function moved(count: number, from: number, to: number): number[] {
  const order = Array.from({ length: count }, (_, i) => i);
  const [one] = order.splice(from, 1);
  if (one !== undefined) order.splice(to, 0, one);
  return order;
}

/** The order without one run. */
export function without(count: number, position: number): number[] {
  return Array.from({ length: count }, (_, i) => i).filter((i) => i !== position);
}
