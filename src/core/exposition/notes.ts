import { getOrInsert } from "../math/index.js";

/** Something left out of a scrape, worth saying once. */
export interface ParserNote {
  /** As exported; those left out for one reason stand together. */
  readonly families: readonly string[];
  /** For a person. */
  readonly message: string;
}

/** Why something is left out, as a sentence about one family or about several. */
export interface LeftOut {
  /** "The summary", "A bucket of": what stands before the name. */
  readonly what: string;
  /** "summaries", "buckets": for several families. */
  readonly plural: string;
  readonly why: string;
}

const NAMED = 3;

/** Keeps what is to be said: each family once for as long as the parser lives, families of one reason in one note. */
export class ParserNotes {
  private readonly said = new Set<string>();
  private pending = new Map<LeftOut, string[]>();

  /** @param reason one object for each reason, by which families are put together */
  add(family: string, reason: LeftOut): void {
    const key = `${reason.what}\0${family}`;
    if (this.said.has(key)) return;
    this.said.add(key);
    getOrInsert(this.pending, reason, () => []).push(family);
  }

  take(): ParserNote[] {
    const taken = [...this.pending].map(([reason, families]) => ({ families, message: sentence(reason, families) }));
    this.pending.clear();
    return taken;
  }
}

function sentence({ what, plural, why }: LeftOut, families: readonly string[]): string {
  const [only = ""] = families;
  if (families.length === 1) return `${what} ${only} is left out: ${why}`;
  const more = families.length - NAMED;
  const names = `${families.slice(0, NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  return `${families.length} ${plural} are left out (${names}): ${why}`;
}
