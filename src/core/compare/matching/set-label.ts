/** "base" of "base-2" and "base run 3": a name without the number of the repeat; undefined of one that has none. */
export function repeatedName(label: string): string | undefined {
  const name = label.replace(/[\s._-]*(?:run|rep|repeat|r|#)?[\s._-]*\d+$/i, "");
  return name === label || name === "" ? undefined : name;
}

/** What a set is called: "base ×3". */
export function setLabel(labels: readonly string[]): string {
  const [first = ""] = labels;
  return labels.length < 2 ? first : `${repeatedName(first) ?? first} ×${labels.length}`;
}
