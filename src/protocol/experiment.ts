import type { ExperimentStatus } from "../core/experiment/index.js";

export type { Cell, ExperimentStatus, SequencePlot, ShownRun } from "../core/experiment/index.js";

/** An experiment as `server-metrics experiment show --json` prints it. */
export interface ReadExperiment extends ExperimentStatus {
  /** Folder of its runs. Absolute. */
  readonly out: string;
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

export const EXPERIMENT_COMMANDS = ["run", "anew", "stopSoon", "stopNow", "openFile"] as const;

/** What an experiment's page may ask of the host. */
export interface ExperimentViewRequests {
  experiment: { params: Record<string, never>; result: ShownExperiment };
  experimentCommand: { params: { readonly command: (typeof EXPERIMENT_COMMANDS)[number] }; result: null };
  /** Shows a run in an editor of its own. @param folder as the experiment names it */
  openRun: { params: { readonly folder: string }; result: null };
}

export interface ExperimentViewEvents {
  /** The page asks again. */
  changed: null;
}
