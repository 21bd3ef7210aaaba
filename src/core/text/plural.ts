/** A count and its noun: "1 scrape", "1,234 scrapes". @param many where it is not the noun with an s */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${noun(count, one, many)}`;
}

/** The noun alone, where it does not stand behind its count: "scrape" of one, "scrapes" of others. */
export function noun(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? one : many;
}

/** A whole number with its thousands apart: "1,234". */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}
