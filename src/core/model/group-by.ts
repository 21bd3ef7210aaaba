/** Items by a key, in the order in which keys come. */
export function groupBy<K, T>(items: readonly T[], keyOf: (item: T) => K): ReadonlyMap<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
