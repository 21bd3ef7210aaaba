/** The four types an artifact knows; info and stateset are gauges, untyped is unknown. */
export type MetricType = "gauge" | "counter" | "histogram" | "unknown";

export const METRIC_TYPES: readonly MetricType[] = ["gauge", "counter", "histogram", "unknown"];

/** A metric family as exported: a counter's name has lost its `_total`. */
export interface Family {
  readonly name: string;
  readonly type: MetricType;
  /** Text of `# HELP`, unescaped; "" without one. */
  readonly description: string;
  /** OpenMetrics `# UNIT`, when given. The unit shown comes from the catalogue's rules. */
  readonly declaredUnit?: string;
  /** Of a percentage by its name alone: whether its values are shares (0.53 is 53 %) or percent. */
  readonly rangeUnit?: "ratio" | "percent";
  /** Of a counter: the name that its samples had in the exposition. Absent where it was read from a file without it. */
  readonly exposedName?: string;
}

/** Families whose name ends in `_info` describe the server; they are static and never charted. */
export function isInfoFamily(name: string): boolean {
  return name.endsWith("_info");
}
