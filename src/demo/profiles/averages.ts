/** How much what came before counts beside the next. */
const FORGETTING = 0.95;

/** A share of sums over what came last; the older counts less and less. */
export class RecentShare {
  private part = 0;
  private whole = 0;

  add(part: number, whole: number): void {
    this.part = this.part * FORGETTING + part;
    this.whole = this.whole * FORGETTING + whole;
  }

  /** 0 of nothing, as an exporter's gauge begins. */
  get value(): number {
    return this.whole === 0 ? 0 : this.part / this.whole;
  }
}

export class Mean {
  private sum = 0;
  private count = 0;

  add(value: number): void {
    this.sum += value;
    this.count++;
  }

  /** 0 of nothing, as an exporter's gauge begins. */
  get value(): number {
    return this.count === 0 ? 0 : this.sum / this.count;
  }
}
