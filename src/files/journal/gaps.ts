import { isoText, type EpochNs, type Problem, warningOf } from "../../core/model/index.js";
import type { JournalMember } from "./read-members.js";
import { noun } from "../../core/text/plural.js";

/** What is missing between two sound members of a journal. */
export interface JournalGap {
  /** Of the file; 0 where members are missing without a trace. */
  readonly bytes: number;
  /** That were answered, or failed, meanwhile. */
  readonly scrapes: number;
  /** Of the last scrape before it; absent at the beginning. */
  readonly after?: EpochNs;
  /** Of the first scrape behind it. */
  readonly before?: EpochNs;
}

/** Follows the members of a journal and notes what is missing between them. */
export class GapFinder {
  readonly gaps: JournalGap[] = [];
  private sequence = 0;
  private scrapes = 0;
  private end = 0;
  private last: EpochNs | undefined;

  member({ header, start, end }: JournalMember): void {
    const { sequence, scrapesBefore, scrapes, first, last } = header;
    // Bytes that a failed write has left between two members are no loss.
    if (sequence !== this.sequence)
      this.gaps.push({
        bytes: start - this.end,
        scrapes: Math.max(0, scrapesBefore - this.scrapes),
        ...(this.last === undefined ? {} : { after: this.last }),
        ...(scrapes === 0 ? {} : { before: first }),
      });
    this.sequence = sequence + 1;
    this.scrapes = scrapesBefore + scrapes;
    this.end = end;
    if (scrapes > 0) this.last = last;
  }
}

/** A gap in words. */
export function gapProblem(path: string, { bytes, scrapes, after, before }: JournalGap): Problem {
  const from = after === undefined ? "the start of the capture" : isoText(after);
  const to = before === undefined ? "" : ` and ${isoText(before)}`;
  const between = to === "" ? `after ${from}` : `between ${from}${to}`;
  return warningOf(
    `${path} is damaged (${bytes} bytes): ${scrapes} ${noun(scrapes, "scrape")} ${between} ${noun(scrapes, "is", "are")} missing.`,
  );
}
