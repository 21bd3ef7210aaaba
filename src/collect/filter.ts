import { RE2JS } from "re2js";

/**
 * Which families are kept: those that an include pattern names (all when there is none) and no exclude pattern does.
 * Globs such as `vllm:*`, with `?`, `[a-z]`, `[!a-z]` and `{a,b}`. Others write patterns and names, so matching takes
 * time linear in the name. A pattern may spell a counter with or without its `_total`.
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
  const compiled = [...patterns, ...withoutTotal].map(compile);
  return (family) => compiled.some((pattern) => pattern.matches(family));
}

/** A glob whose brackets or braces do not close stands for itself. */
function compile(glob: string): RE2JS {
  let depth = 0;
  const pattern = glob.replace(/\[[!^]?\]?[^\]]*\]|./gs, (part) => {
    if (part.length > 1) return part.replace(/\\/g, "\\\\").replace(/^\[!/, "[^");
    if (part === "*") return ".*";
    if (part === "?") return ".";
    if (part === "," && depth > 0) return "|";
    if (part === "{" || (part === "}" && depth > 0)) {
      depth += part === "{" ? 1 : -1;
      return part === "{" ? "(?:" : ")";
    }
    return RE2JS.quote(part);
  });
  try {
    return RE2JS.compile(pattern, RE2JS.DOTALL);
  } catch {
    return RE2JS.compile(RE2JS.quote(glob));
  }
}
