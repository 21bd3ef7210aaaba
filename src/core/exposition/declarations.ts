import type { DeclaredType } from "./sample-names.js";

/** What the metadata of one scrape says of a family name. */
export interface Declaration {
  readonly name: string;
  type: DeclaredType | undefined;
  help: string | undefined;
  unit: string | undefined;
  /** Rises with every change. */
  version: number;
  /** The scrape in which each was said. */
  readonly said: { type: number; help: number; unit: number };
}

/** One line of metadata. */
export type Statement =
  | { readonly kind: "type"; readonly of: Declaration; readonly value: DeclaredType }
  | { readonly kind: "help" | "unit"; readonly of: Declaration; readonly value: string };

/** The metadata of an endpoint as its last scrape had it: lines that are gone no longer count. */
export class Declarations {
  private readonly byName = new Map<string, Declaration>();
  private scrape = 0;

  of(name: string): Declaration {
    let declaration = this.byName.get(name);
    if (declaration === undefined) {
      declaration = {
        name,
        type: undefined,
        help: undefined,
        unit: undefined,
        version: 0,
        said: { type: 0, help: 0, unit: 0 },
      };
      this.byName.set(name, declaration);
    }
    return declaration;
  }

  readonly typeOf = (name: string): DeclaredType | undefined => this.byName.get(name)?.type;

  /** Replaces what is known by the statements of one scrape; of two on the same matter the later one holds. */
  replace(statements: Iterable<Statement>): void {
    this.scrape++;
    for (const statement of statements) {
      const { of, kind } = statement;
      of.said[kind] = this.scrape;
      if (of[kind] === statement.value) continue;
      if (kind === "type") of.type = statement.value;
      else of[kind] = statement.value;
      of.version++;
    }
    for (const declaration of this.byName.values()) {
      for (const kind of ["type", "help", "unit"] as const) {
        if (declaration[kind] === undefined || declaration.said[kind] === this.scrape) continue;
        declaration[kind] = undefined;
        declaration.version++;
      }
    }
  }
}
