/** Something left out of a scrape, worth saying once. */
export interface Note {
  /** As exported. */
  readonly family: string;
  /** For a person. */
  readonly message: string;
}

/** Keeps what is to be said, each thing once for as long as the parser lives. */
export class Notes {
  private readonly said = new Set<string>();
  private pending: Note[] = [];

  add(family: string, message: string): void {
    if (this.said.has(message)) return;
    this.said.add(message);
    this.pending.push({ family, message });
  }

  take(): Note[] {
    const taken = this.pending;
    this.pending = [];
    return taken;
  }
}
