import type { DemoOptions } from "./options.js";

const BUCKET = /^[^{ ]+_bucket\{(?:.*,)?le="([^"]+)"/;

/** What a simulated server's page does to those who look at it, apart from what the server is at. */
export class Page {
  private kept: { readonly body: string; readonly at: number } | undefined;

  constructor(
    private readonly options: Pick<DemoOptions, "freezeAfterSeconds" | "outage" | "refreshSeconds" | "coarseBuckets">,
  ) {}

  /**
   * What is answered at a time, in seconds since the first answer; undefined while there is none.
   * @param current the text of that moment
   */
  async answer(seconds: number, current: () => Promise<string>): Promise<string | undefined> {
    const { outage, freezeAfterSeconds = Infinity, refreshSeconds = 0, coarseBuckets = false } = this.options;
    if (outage !== undefined && seconds % outage.everySeconds >= outage.everySeconds - outage.seconds) return undefined;
    const isFrozen = seconds >= freezeAfterSeconds;
    const isFresh = this.kept !== undefined && seconds - this.kept.at < refreshSeconds;
    if (this.kept === undefined || !(isFrozen || isFresh)) {
      const body = await current();
      this.kept = {
        body: coarseBuckets ? withDecades(body) : body,
        at: refreshSeconds > 0 ? seconds - (seconds % refreshSeconds) : seconds,
      };
    }
    return this.kept.body;
  }
}

/** An exposition without the buckets whose bounds are no powers of ten. */
function withDecades(body: string): string {
  return body
    .split("\n")
    .filter((line) => {
      const bound = BUCKET.exec(line)?.[1];
      return bound === undefined || bound === "+Inf" || Number.isInteger(Math.log10(Number(bound)));
    })
    .join("\n");
}
