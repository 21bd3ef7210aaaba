import { getOrInsert } from "../math/index.js";

/** A type as `# TYPE` declares it; `untyped` counts as unknown. */
export type DeclaredType =
  "counter" | "gauge" | "histogram" | "summary" | "info" | "stateset" | "gaugehistogram" | "unknown";

export const TYPE_WORDS: ReadonlyMap<string, DeclaredType> = new Map([
  ["counter", "counter"],
  ["gauge", "gauge"],
  ["histogram", "histogram"],
  ["summary", "summary"],
  ["untyped", "unknown"],
  ["unknown", "unknown"],
  ["info", "info"],
  ["stateset", "stateset"],
  ["gaugehistogram", "gaugehistogram"],
]);

export type SampleSuffix = "" | "_total" | "_created" | "_bucket" | "_sum" | "_count" | "_gsum" | "_gcount" | "_info";

/** The suffixes that a family's samples carry behind its name, by its type. */
export const SUFFIXES: { readonly [T in DeclaredType]: readonly SampleSuffix[] } = {
  counter: ["_total", "_created"],
  gauge: [""],
  histogram: ["_bucket", "_sum", "_count", "_created"],
  summary: ["", "_sum", "_count", "_created"],
  info: ["_info"],
  stateset: [""],
  gaugehistogram: ["_bucket", "_gsum", "_gcount"],
  unknown: [""],
};

const ALL_SUFFIXES = ["_total", "_created", "_bucket", "_sum", "_count", "_gsum", "_gcount", "_info"] as const;

/** Where a sample belongs: the family as declared, and what its name adds to the family's. */
export interface Placement {
  readonly family: string;
  readonly type: DeclaredType;
  readonly suffix: SampleSuffix;
}

/** The suffix that a metric name may owe to its family's type; "" when it has none. */
export function suffixOf(name: string): SampleSuffix {
  return ALL_SUFFIXES.find((suffix) => name.endsWith(suffix)) ?? "";
}

/**
 * Places a sample by its metric name: in the family declared under that very name, else under the name without the
 * suffix of that family's type, else in a family of its own. So `iteration_tokens_total_bucket` belongs to the
 * histogram `iteration_tokens_total`, and `requests_total` to the counter `requests_total` or `requests`, whichever is
 * declared.
 */
export function placeSample(name: string, typeOf: (family: string) => DeclaredType | undefined): Placement {
  const own = typeOf(name);
  if (own !== undefined) return { family: name, type: own, suffix: "" };
  const suffix = suffixOf(name);
  const family = name.slice(0, name.length - suffix.length);
  const type = suffix === "" || family === "" ? undefined : typeOf(family);
  return type !== undefined && SUFFIXES[type].includes(suffix)
    ? { family, type, suffix }
    : { family: name, type: "unknown", suffix: "" };
}

/** A counter's name as exported has lost its `_total`, unless another family already goes by that name. */
export function exportedName(
  declared: string,
  type: DeclaredType,
  typeOf: (family: string) => DeclaredType | undefined,
): string {
  if (type !== "counter" || !declared.endsWith("_total")) return declared;
  const short = declared.slice(0, -"_total".length);
  const other = typeOf(short);
  return short === "" || (other !== undefined && other !== "counter") ? declared : short;
}

/** What the metadata of one scrape says of a family name. */
export interface Declaration {
  readonly name: string;
  said: Said;
  /** Rises with every change. */
  version: number;
}

interface Said {
  type?: DeclaredType;
  help?: string;
  unit?: string;
}

/** One line of metadata. */
export type Statement =
  | { readonly kind: "type"; readonly of: Declaration; readonly value: DeclaredType }
  | { readonly kind: "help" | "unit"; readonly of: Declaration; readonly value: string };

/** The metadata of an endpoint as its last scrape had it: lines that are gone no longer count. */
export class Declarations {
  private readonly byName = new Map<string, Declaration>();

  of(name: string): Declaration {
    return getOrInsert(this.byName, name, () => ({ name, said: {}, version: 0 }));
  }

  readonly typeOf = (name: string): DeclaredType | undefined => this.byName.get(name)?.said.type;

  /** Replaces what is known by the statements of one scrape; of two on the same matter the later one holds. */
  replace(statements: Iterable<Statement>): void {
    const known = new Map<Declaration, Said>();
    for (const { of, ...statement } of statements) {
      const said = getOrInsert(known, of, () => ({}));
      if (statement.kind === "type") said.type = statement.value;
      else said[statement.kind] = statement.value;
    }
    for (const declaration of this.byName.values()) {
      const said = known.get(declaration) ?? {};
      const { type, help, unit } = declaration.said;
      if (said.type !== type || said.help !== help || said.unit !== unit) declaration.version++;
      declaration.said = said;
    }
  }
}
