/** A count and its noun: "1 scrape", "1,234 scrapes". @param many where it is not the noun with an s */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${noun(count, one, many)}`;
}

/** How many of all are there: "30 rows", or "12 of 30 rows". @param many as of `plural` */
export function pluralOf(count: number, all: number, one: string, many?: string): string {
  return count === all ? plural(all, one, many) : `${grouped(count)} of ${plural(all, one, many)}`;
}

/** The noun alone, where it does not stand behind its count: "scrape" of one, "scrapes" of others. */
export function noun(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? one : many;
}

/** A whole number with its thousands apart: "1,234". */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}
