/** Of a frame of 16 ms, what charts may take: the page has to answer the pointer, too. */
const BUDGET_MS = 3;

interface Frames {
  readonly now: () => number;
  readonly request: (callback: () => void) => unknown;
}

const PAGE: Frames = {
  now: () => performance.now(),
  request: (callback) => requestAnimationFrame(callback),
};

/**
 * Draws charts in turns: at once while the frame has time for it, else in one of the next frames. The answers for all
 * charts of a page come together, and drawing fifteen of them in one frame blocked the page for 40 ms three times a
 * second. A chart of twenty lines takes more than a frame has time for: it gets one of its own.
 */
export class DrawTurns {
  /** The latest wish of each chart, the oldest first. */
  private readonly waiting = new Map<object, () => void>();
  /** What drawing a chart took last, milliseconds. */
  private readonly costs = new WeakMap<object, number>();
  private spent = 0;
  private requested = false;

  constructor(private readonly frames: Frames = PAGE) {}

  /** What the chart still waited for is not drawn any more. */
  draw(chart: object, draw: () => void): void {
    this.request();
    this.waiting.delete(chart);
    if (this.waiting.size === 0 && this.fits(chart)) this.timed(chart, draw);
    else this.waiting.set(chart, draw);
  }

  /** A chart that is gone. */
  forget(chart: object): void {
    this.waiting.delete(chart);
  }

  private request(): void {
    if (this.requested) return;
    this.requested = true;
    this.frames.request(() => this.frame());
  }

  private frame(): void {
    this.requested = false;
    this.spent = 0;
    try {
      for (const [chart, draw] of this.waiting) {
        if (!this.fits(chart)) break;
        this.waiting.delete(chart);
        this.timed(chart, draw);
      }
    } finally {
      if (this.spent > 0 || this.waiting.size > 0) this.request();
    }
  }

  private fits(chart: object): boolean {
    return this.spent === 0 || this.spent + (this.costs.get(chart) ?? 0) < BUDGET_MS;
  }

  private timed(chart: object, draw: () => void): void {
    const start = this.frames.now();
    try {
      draw();
    } finally {
      const cost = this.frames.now() - start;
      this.costs.set(chart, cost);
      this.spent += cost;
    }
  }
}
