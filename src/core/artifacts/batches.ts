import type { Family, Labels, SampleBatch, SampleDef } from "../model/index.js";

/** Makes the batches that a parser would give, of samples that come as values; ids stay from scrape to scrape. */
export class Batches {
  private readonly defs: SampleDef[] = [];
  private readonly ids = new Map<string, number>();
  private pending: { readonly id: number; readonly value: number }[] = [];

  add(family: Family, labels: Labels, part: SampleDef["part"], value: number): void {
    const key = JSON.stringify([family.name, family.type, labels, part.kind, part.kind === "bucket" ? part.bound : ""]);
    let id = this.ids.get(key);
    if (id === undefined) {
      id = this.defs.length;
      this.defs.push({ family, labels, part });
      this.ids.set(key, id);
    }
    this.pending.push({ id, value });
  }

  /** What was added since the last one. */
  take(): SampleBatch {
    const { pending, defs } = this;
    this.pending = [];
    return {
      defs,
      ids: Int32Array.from(pending, ({ id }) => id),
      values: Float64Array.from(pending, ({ value }) => value),
      length: pending.length,
    };
  }
}
