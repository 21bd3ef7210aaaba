/** Something wrong and what to do about it, shown beside the thing it concerns. */
export interface Problem {
  readonly severity: "info" | "warning" | "error";
  readonly reason: string;
  readonly remedy?: string;
  /** A remedy that a view can offer as a button. */
  readonly offer?: "moveJournal";
}
