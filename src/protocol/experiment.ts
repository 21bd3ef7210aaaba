import type { ExperimentStatus } from "../core/experiment/index.js";
import { answered, none, oneOf, shape, text, type RequestsIn } from "./guards.js";
import { HOST_REQUESTS } from "./view-requests.js";

export type { Cell, ExperimentStatus, SearchPlot, SequencePlot, MadeRun } from "../core/experiment/index.js";

/** An experiment as `server-metrics experiment show --json` prints it. */
export interface ReadExperiment extends ExperimentStatus {
  /** Folder of its runs. Absolute. */
  readonly out: string;
  /** That its runs were made by another plan, and what to do about it. */
  readonly otherPlan?: string;
  /** The process that runs it, or has run it and was killed; absent: none. */
  readonly runner?: { readonly pid: string; readonly state: "alive" | "dead" | "unknown" } | undefined;
}

/** What an experiment's page keeps for the panel that VS Code brings back. */
export interface ExperimentPageState {
  readonly file: string;
}

/** What the page of an experiment shows. */
export interface ShownExperiment extends ExperimentPageState {
  readonly experiment: ReadExperiment;
  /** "stopping": no further run begins; "unknown": perhaps on another machine. */
  readonly running: "no" | "yes" | "stopping" | "unknown";
  /** Why the last attempt to run it here ended without a result. */
  readonly failure?: string;
  /** The plan was asked for. */
  readonly showPlan: boolean;
}

/** What an experiment's page may ask of the host, by the guards of it. */
export const EXPERIMENT_GUARDS = {
  experiment: answered<ShownExperiment>()(none),
  experimentCommand: answered()(shape({ command: oneOf("run", "anew", "stopSoon", "stopNow", "openFile") })),
  exportReport: HOST_REQUESTS.exportReport,
  /** Shows a run in an editor of its own, by its folder as the experiment names it. */
  openRun: answered()(shape({ folder: text })),
};
export type ExperimentViewRequests = RequestsIn<typeof EXPERIMENT_GUARDS>;

export interface ExperimentViewEvents {
  /** The page asks again. */
  changed: null;
}
