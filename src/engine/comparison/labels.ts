import { parseArtifactName, unpackedName } from "../../core/artifacts/index.js";

/** What is known of a compared run for its name. */
export interface Named {
  readonly path: string;
  /** As asked for, else as the run calls itself. */
  readonly label?: string;
}

/**
 * Names that tell runs apart, as short as can be: the run's label, else the prefix of its artifact's name, else its
 * folder's name, else its file's name. Where that is not enough, more of the path; of one file twice the second has a
 * number.
 */
export function shortLabels(runs: readonly Named[]): string[] {
  const choices = runs.map(choicesOf);
  const chosen = choices.map(() => 0);
  for (;;) {
    const names = choices.map((all, i) => all[chosen[i] ?? 0] ?? "");
    const clashing = names.flatMap((name, i) => {
      const another = names.some((other, j) => other === name && runs[j]?.path !== runs[i]?.path);
      return another && (chosen[i] ?? 0) < (choices[i]?.length ?? 0) - 1 ? [i] : [];
    });
    if (clashing.length === 0) return numbered(names);
    for (const i of clashing) chosen[i] = (chosen[i] ?? 0) + 1;
  }
}

/** The shortest first. */
function choicesOf({ path, label }: Named): string[] {
  const parts = path.split(/[/\\]/).filter((part) => part !== "");
  const file = parts.pop() ?? path;
  const stem = stemOf(file);
  const hasPrefix = parseArtifactName(file)?.prefix !== undefined;
  const folders = parts.map((_, i) => parts.slice(parts.length - 1 - i).join("/"));
  const short =
    stem === undefined
      ? folders
      : [...(hasPrefix ? [] : folders.slice(0, 1)), stem, ...folders.map((folder) => `${folder}/${stem}`)];
  const places = [...short, ...folders.map((folder) => `${folder}/${file}`)];
  const all = places.length === 0 ? [file] : places;
  return label === undefined || label === "" ? all : [label, ...all.map((place) => `${label} (${place})`)];
}

/** What a file's name says of its run; undefined for the name that every run's files have. */
function stemOf(file: string): string | undefined {
  const artifact = parseArtifactName(file);
  return artifact === undefined ? unpackedName(file).replace(/\.[^.]+$/, "") : artifact.prefix;
}

function numbered(names: readonly string[]): string[] {
  return names.map((name, i) => {
    const earlier = names.slice(0, i).filter((other) => other === name).length;
    return earlier === 0 ? name : `${name} #${earlier + 1}`;
  });
}
