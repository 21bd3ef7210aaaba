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
 * Draws charts in the next frame, as many as it has time for, and the rest in those after it: a zoom and the answers of
 * a progress change all charts of a page at once.
 */
export class DrawTurns {
  /** What each chart is to draw, those that have waited longest first. */
  private readonly waiting = new Map<object, () => void>();

  constructor(private readonly frames: Frames = PAGE) {}

  /** What the chart still waited for is not drawn any more; its turn stays. */
  draw(chart: object, draw: () => void): void {
    if (this.waiting.size === 0) this.frames.request(() => this.frame());
    this.waiting.set(chart, draw);
  }

  /** A chart that is gone. */
  forget(chart: object): void {
    this.waiting.delete(chart);
  }

  private frame(): void {
    const end = this.frames.now() + BUDGET_MS;
    try {
      for (const [chart, draw] of this.waiting) {
        this.waiting.delete(chart);
        draw();
        if (this.frames.now() >= end) break;
      }
    } finally {
      if (this.waiting.size > 0) this.frames.request(() => this.frame());
    }
  }
}

/** Those of all charts of the page. */
export const chartTurns = new DrawTurns();
