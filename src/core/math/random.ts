/** Uniform numbers in [0, 1) that are the same each time. */
export class SeededRandom {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** mulberry32. */
  uniform(): number {
    const state = (this.state = (this.state + 0x6d2b79f5) | 0);
    const half = Math.imul(state ^ (state >>> 15), state | 1);
    const mixed = (half + Math.imul(half ^ (half >>> 7), half | 61)) ^ half;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** Items in an order of which each is as likely as another (Fisher and Yates). */
  shuffled<T>(items: readonly T[]): readonly T[] {
    const order = [...items];
    for (let i = order.length - 1; i > 0; i--) {
      const j = Math.floor(this.uniform() * (i + 1));
      const [a, b] = [order[i], order[j]];
      if (a !== undefined && b !== undefined) [order[i], order[j]] = [b, a];
    }
    return order;
  }
}
