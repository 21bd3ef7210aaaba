import { displayName, type Problem, type ScrapeCost, warningOf } from "../core/model/index.js";
import { median } from "../core/math/index.js";

/** Of the newest scrapes, so many are taken together: one slow one is no trend. */
const RECENT = 20;
/** Above this share of the interval a server spends a good part of its time on answering scrapes. */
const LARGE_SHARE = 0.2;
/** Slower by this factor, and by this share of the interval, than the first scrapes were. */
const GROWTH = 2;
const GROWTH_SHARE = 0.05;

/**
 * What scraping an endpoint costs, as seen from outside: bytes, and the times from request to last byte, without those
 * in which this process was at work on other answers. With hundreds of endpoints on one tick that is most of them.
 */
export class CostMeter {
  private readonly recent: number[] = [];
  private first: number | undefined;
  private bytes = 0;
  private total = 0;
  private count = 0;

  constructor(private readonly intervalMs: number) {}

  /**
   * @param waitedMs that this process waited for the answer
   * @param bytes of the body, decoded
   */
  add(waitedMs: number, bytes: number): void {
    this.bytes = bytes;
    this.total += waitedMs;
    this.count++;
    this.recent.push(waitedMs);
    if (this.recent.length > RECENT) this.recent.shift();
    if (this.count === RECENT) this.first = median(this.recent);
  }

  /** Undefined before the first scrape. */
  get cost(): ScrapeCost | undefined {
    if (this.count === 0) return undefined;
    const meanMs = this.total / this.count;
    return { bytes: this.bytes, meanMs, share: meanMs / this.intervalMs };
  }

  /** What is to be said of it, once there are enough scrapes to tell. */
  problem(url: string): Problem | undefined {
    const { first, intervalMs } = this;
    if (first === undefined) return undefined;
    const now = median(this.recent);
    const isLarge = now / intervalMs > LARGE_SHARE;
    const hasGrown = this.count >= 2 * RECENT && now > GROWTH * first && now - first > GROWTH_SHARE * intervalMs;
    if (!isLarge && !hasGrown) return undefined;
    const name = displayName(url);
    const longer = `Scrape less often: --interval ${proposal(now, intervalMs)}ms (setting serverMetrics.interval), or expose fewer series.`;
    if (isLarge)
      return warningOf(
        `A scrape of ${name} takes ${ms(now)}, ${percent(now / intervalMs)} of the interval of ${ms(intervalMs)}: measuring may slow the server down.`,
        longer,
      );
    return warningOf(
      `Scrapes of ${name} have slowed down from ${ms(first)} to ${ms(now)} during this capture.`,
      `Either the server is busier or scraping it costs more than at first. ${longer}`,
    );
  }
}

/** An interval of which a scrape takes a tenth, in steps a person would choose; at least twice the present one. */
function proposal(latencyMs: number, intervalMs: number): number {
  const wanted = Math.max(10 * latencyMs, 2 * intervalMs);
  const step = wanted < 1000 ? 100 : 1000;
  return Math.ceil(wanted / step) * step;
}

const ms = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
const percent = (share: number) => `${Math.round(share * 100)} %`;
