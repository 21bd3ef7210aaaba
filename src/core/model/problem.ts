/** Something wrong and what to do about it, shown beside the thing it concerns. */
export interface Problem {
  readonly severity: "info" | "warning" | "error";
  readonly reason: string;
  readonly remedy?: string | undefined;
  /** Of a request that failed, its class, such as "refused" or "HTTP 401": nothing that a server said. */
  readonly failure?: string;
  /** A remedy that a view can offer as a button. */
  readonly offer?: "moveJournal";
}

/** What is worth knowing, though nothing is wrong. */
export function noteOf(reason: string, remedy?: string): Problem {
  return { severity: "info", reason, ...(remedy === undefined ? {} : { remedy }) };
}

/** Something wrong that ends nothing. */
export function warningOf(reason: string, remedy?: string): Problem {
  return { severity: "warning", reason, ...(remedy === undefined ? {} : { remedy }) };
}
