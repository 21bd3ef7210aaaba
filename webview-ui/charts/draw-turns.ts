/** Of a frame of 16 ms, what charts may take: the page has to answer the pointer, too. */
const BUDGET_MS = 3;
/**
 * Of a frame, too: points are rasterised after they are drawn, which no clock of a page sees. Without a graphics
 * processor they take about 1 µs each.
 */
const BUDGET_POINTS = 4000;

interface Wish {
  readonly points: number;
  readonly draw: () => void;
  /** Of this frame, which has made the chart's model and legend already. */
  readonly fresh: boolean;
}

interface Frames {
  readonly now: () => number;
  readonly request: (callback: () => void) => unknown;
}

const PAGE: Frames = {
  now: () => performance.now(),
  request: (callback) => requestAnimationFrame(callback),
};

/**
 * Draws charts in turns, in the frame after the one that an answer came in, or in one of the next. To make the models
 * and legends of what came takes as long as to draw it. The answers for all charts of a page come together, and drawing
 * fifteen of them in one frame blocked the page for 40 ms three times a second. A chart of twenty lines takes more than
 * a frame has time for: it gets one of its own.
 */
export class DrawTurns {
  /** The latest wish of each chart, those that have waited longest first. */
  private readonly waiting = new Map<object, Wish>();
  /** What drawing a chart took last, milliseconds. */
  private readonly costs = new WeakMap<object, number>();
  private spent = { ms: 0, points: 0 };
  private requested = false;
  /** The next frame has other work. */
  private pausing = false;
  /** In the last frame, charts waited because it had. */
  private waited = false;

  constructor(private readonly frames: Frames = PAGE) {}

  /**
   * What the chart still waited for is not drawn any more; its turn stays.
   * @param points that are drawn
   */
  draw(chart: object, points: number, draw: () => void): void {
    this.request();
    this.waiting.set(chart, { points, draw, fresh: this.waiting.get(chart)?.fresh ?? true });
  }

  /**
   * The next frame has other work: charts wait for the one after it. They do not wait twice on end, however often it
   * is said.
   */
  pause(): void {
    this.pausing = true;
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
    this.spent = { ms: 0, points: 0 };
    const turns = [...this.waiting];
    const paused = this.pausing && !this.waited;
    this.pausing = false;
    this.waited = paused && turns.some(([, { fresh }]) => !fresh);
    for (const [chart, wish] of turns) if (wish.fresh) this.waiting.set(chart, { ...wish, fresh: false });
    try {
      for (const [chart, wish] of turns) {
        if (paused || wish.fresh || !this.fits(chart, wish)) break;
        this.waiting.delete(chart);
        this.timed(chart, wish);
      }
    } finally {
      if (this.waiting.size > 0) this.request();
    }
  }

  private fits(chart: object, { points }: Wish): boolean {
    const { ms, points: before } = this.spent;
    return ms === 0 || (ms + (this.costs.get(chart) ?? 0) < BUDGET_MS && before + points <= BUDGET_POINTS);
  }

  private timed(chart: object, { points, draw }: Wish): void {
    const start = this.frames.now();
    try {
      draw();
    } finally {
      const cost = this.frames.now() - start;
      this.costs.set(chart, cost);
      this.spent = { ms: this.spent.ms + cost, points: this.spent.points + points };
    }
  }
}

/** Those of all charts of the page. */
export const chartTurns = new DrawTurns();
