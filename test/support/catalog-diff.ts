import { canonicalName } from "../../src/core/catalog/aliases.js";
import { entryOfCanonical, serverOf } from "../../src/core/catalog/recognise.js";

/** A family that the catalogue lacks. */
export interface UnlistedFamily {
  readonly name: string;
  /** Of the server whose prefix it carries; absent for no known server. */
  readonly server?: string;
}

/** Names of families that are built into a series' name. */
const SERIES_SUFFIX = /_(bucket|sum|count|created)$/;

/**
 * The families that the catalogue lacks, by name.
 * @param names of families, as an exposition or a source has them
 */
export function unlistedFamilies(names: Iterable<string>): UnlistedFamily[] {
  const all = new Set(names);
  return [...all]
    .filter((name) => entryOfCanonical(canonicalName(name)) === undefined && !isPart(name, all))
    .sort()
    .map((name) => {
      const server = serverOf(name)?.name;
      return { name, ...(server === undefined ? {} : { server }) };
    });
}

/** A series of a histogram or summary that is listed, or stands beside it. */
function isPart(name: string, all: ReadonlySet<string>): boolean {
  const base = name.replace(SERIES_SUFFIX, "");
  return base !== name && (all.has(base) || entryOfCanonical(canonicalName(base)) !== undefined);
}

const NAME = String.raw`[a-zA-Z_][a-zA-Z0-9_]*(?::[a-zA-Z0-9_]+)*`;
/** A whole string literal that carries a known server's prefix. */
const LITERAL = new RegExp(String.raw`["'\x60](${NAME})["'\x60]`, "g");
/** Names that can be nothing else, wherever they stand. */
const BARE = /\b(?:DCGM_FI_\w+|nv_[a-z]\w+|[a-z]+:[a-z]\w+)/g;
/** Go's `Subsystem: "a", Name: "b"`, the subsystem perhaps a constant, of another package perhaps. */
const GO_METRIC = /Subsystem:\s*(?:"(\w+)"|(?:\w+\.)?(\w+)),\s*Name:\s*"(\w+)"/g;
/** A constant's text, or the other constant that it stands for. */
const GO_CONSTANT = /(\w+)\s*=\s*(?:"(\w+)"|(?:\w+\.)?(\w+)\s*$)/gm;

/**
 * Family names in a server's own source: string literals that carry a known server's prefix (Python, Rust, C++, CSV and
 * tables of documentation), and Go's pairs of subsystem and name. Names put together at run time are not found.
 * @param beside other files of the same server, which may define constants that it uses
 */
export function familiesInSource(source: string, beside: readonly string[] = []): string[] {
  const names = new Set<string>();
  const add = (name: string) => {
    const server = serverOf(name);
    // A bare prefix, such as one that names are put together from, is no family.
    if (server !== undefined && !server.prefixes.includes(name) && !server.prefixes.includes(`${name}_`))
      names.add(name);
  };
  for (const [, name = ""] of source.matchAll(LITERAL)) add(name);
  for (const [name] of source.matchAll(BARE)) add(name);
  const textOf = constantsOf([...beside, source]);
  for (const [, text, constant = "", name = ""] of source.matchAll(GO_METRIC))
    add(`${text ?? textOf(constant) ?? constant}_${name}`);
  return [...names].sort();
}

/** The text of a constant of these files, through constants that stand for others. */
function constantsOf(sources: readonly string[]): (name: string) => string | undefined {
  const texts = new Map<string, string>();
  const others = new Map<string, string>();
  for (const source of sources)
    for (const [, name = "", text, other] of source.matchAll(GO_CONSTANT)) {
      if (text !== undefined) texts.set(name, text);
      else if (other !== undefined && other !== name) others.set(name, other);
    }
  return (name) => texts.get(name) ?? texts.get(others.get(name) ?? "");
}
