import type { PartialContent } from "../../core/compare/index.js";
import type { SourceRun } from "./compared-run.js";
import { Jobs } from "../jobs.js";

/** What a comparison has to do, one after the other: this is all that changes its runs' content and its result. */
export type ComparisonJob =
  /** Reads key metrics of a large file. */
  | { readonly kind: "read-first"; readonly content: PartialContent; readonly run: SourceRun }
  /** Compares the key metrics of large files before they are read whole. */
  | { readonly kind: "compare-first"; readonly content: PartialContent }
  | { readonly kind: "read"; readonly run: SourceRun }
  | { readonly kind: "compare" }
  /** Reads on what captures have written since, and compares it. */
  | { readonly kind: "read-more" };

/** In their order. */
export const PARTIAL_CONTENTS: readonly PartialContent[] = ["averages", "key-metrics"];

/** The most urgent first: nothing is compared whole before all is read. */
const URGENCY: readonly string[] = [
  ...PARTIAL_CONTENTS.flatMap((content) => [`read-first ${content}`, `compare-first ${content}`]),
  ...(["read", "compare", "read-more"] satisfies ComparisonJob["kind"][]),
];
const COMPARING: readonly ComparisonJob["kind"][] = ["compare-first", "compare", "read-more"];

/** The queue of one comparison: what is under way is given up when something newer outdates it. */
export function comparisonJobs(run: (job: ComparisonJob, signal: AbortSignal) => Promise<void>): Jobs<ComparisonJob> {
  return new Jobs<ComparisonJob>({
    urgency: (job) => URGENCY.indexOf(nameOf(job)),
    same: (a, b) => nameOf(a) === nameOf(b) && runOf(a) === runOf(b),
    outdates: (added, running) => added.kind !== "read-more" && COMPARING.includes(running.kind),
    run,
  });
}

function nameOf(job: ComparisonJob): string {
  return "content" in job ? `${job.kind} ${job.content}` : job.kind;
}

function runOf(job: ComparisonJob): SourceRun | undefined {
  return "run" in job ? job.run : undefined;
}
