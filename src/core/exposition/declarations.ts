import { getOrInsert } from "../math/index.js";
import type { DeclaredType } from "./sample-names.js";

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
