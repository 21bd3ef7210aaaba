import picomatch from "picomatch";

/**
 * Which families are kept: those that an include pattern names (all when there is none) and no exclude pattern does.
 * Globs such as `vllm:*`; a pattern may spell a counter with or without its `_total`.
 */
export function familyFilter(include: readonly string[], exclude: readonly string[]): (family: string) => boolean {
  const included = include.length === 0 ? () => true : matcher(include);
  const excluded = exclude.length === 0 ? () => false : matcher(exclude);
  return (family) => included(family) && !excluded(family);
}

function matcher(patterns: readonly string[]): (family: string) => boolean {
  const withoutTotal = patterns
    .filter((pattern) => pattern.endsWith("_total"))
    .map((pattern) => pattern.slice(0, -"_total".length));
  return picomatch([...patterns, ...withoutTotal]);
}
