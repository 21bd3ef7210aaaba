/** What the extension remembers beside its settings. */
export const MEMORY_KEYS = {
  stores: "serverMetrics.recentStores",
  endpoints: "serverMetrics.recentEndpoints",
  approved: "serverMetrics.approvedServers",
  comparisons: "serverMetrics.openComparisons",
  libraries: "serverMetrics.openRuns",
  experiments: "serverMetrics.openExperiments",
  experimentCommands: "serverMetrics.agreedExperimentCommands",
} as const;

export const VIEW_IDS = { capture: "serverMetrics.capture", artifacts: "serverMetrics.artifacts" } as const;

/** View types of panels; the manifest's activation events name them. */
export const VIEW_TYPES = {
  live: "serverMetrics.liveView",
  comparison: "serverMetrics.comparison",
  library: "serverMetrics.library",
  experiment: "serverMetrics.experiment",
} as const;

/** Type of our tasks; the manifest defines it. */
export const TASK_TYPE = "server-metrics";

/**
 * View types of the custom editors: of files named as artifacts are, opened so by default, and of any other by choice.
 */
export const EDITOR_TYPES = { run: "serverMetrics.run", anyFile: "serverMetrics.anyFile" } as const;

/**
 * Context keys that the manifest's `when` clauses read. Unset, as before activation, they all mean "idle, nothing to
 * show".
 */
export const CONTEXT_KEYS = {
  /** A capture is being prepared, runs or is being stopped. */
  busy: "serverMetrics.busy",
  capturing: "serverMetrics.capturing",
  /** The capture in progress is in its warm-up. */
  warmup: "serverMetrics.warmup",
  /** There is a capture, running or stopped, that can be viewed and exported. */
  hasRun: "serverMetrics.hasRun",
  /** That capture has been stopped, so that it can be exported. */
  canExport: "serverMetrics.canExport",
  demoRunning: "serverMetrics.demoRunning",
  /** Paths of the opened files that are read on as they grow. */
  followedFiles: "serverMetrics.followedFiles",
  /** Without Node, as on vscode.dev: runs are opened and compared, and nothing else is done. */
  inBrowser: "serverMetrics.inBrowser",
} as const;

/** Tools of all extensions share one list of names. */
export const TOOL_PREFIX = "server_metrics_";
