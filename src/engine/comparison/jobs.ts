import type { SourceRun } from "./compared-run.js";
import { Jobs } from "../jobs.js";

/** What a comparison has to do, one after the other: this is all that changes its runs' content and its result. */
export type ComparisonJob =
  /** Reads averages and rates of the key metrics of a large file. */
  | { readonly kind: "read-first"; readonly run: SourceRun }
  /** Compares those of large files before they are read whole. */
  | { readonly kind: "compare-first" }
  | { readonly kind: "read"; readonly run: SourceRun }
  | { readonly kind: "compare" }
  /** Reads on what captures have written since, and compares it. */
  | { readonly kind: "read-more" };

/** The most urgent first: nothing is compared whole before all is read. */
const URGENCY: readonly ComparisonJob["kind"][] = ["read-first", "compare-first", "read", "compare", "read-more"];
const COMPARING: readonly ComparisonJob["kind"][] = ["compare-first", "compare", "read-more"];

/** The queue of one comparison: what is under way is given up when something newer outdates it. */
export function comparisonJobs(run: (job: ComparisonJob, signal: AbortSignal) => Promise<void>): Jobs<ComparisonJob> {
  return new Jobs<ComparisonJob>({
    urgency: (job) => URGENCY.indexOf(job.kind),
    same: (a, b) => a.kind === b.kind && runOf(a) === runOf(b),
    outdates: (added, running) => added.kind !== "read-more" && COMPARING.includes(running.kind),
    run,
  });
}

function runOf(job: ComparisonJob): SourceRun | undefined {
  return "run" in job ? job.run : undefined;
}
