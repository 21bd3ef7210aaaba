/** Paths without the folder that they have in common, with "/": of files of one folder their names. */
export function pathNames(paths: readonly string[]): readonly string[] {
  const all = paths.map((path) => path.split(/[\\/]/));
  const [first = []] = all;
  const from = first.findIndex((part, i) => all.some((parts) => parts[i] !== part || i === parts.length - 1));
  return all.map((parts) => parts.slice(Math.max(from, 0)).join("/"));
}
