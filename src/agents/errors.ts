/** Of what is too much for one call. */
export const ASK_LESS = "Ask for less: one metric, one series or one statistic.";

/** A call that cannot be answered, in words for the agent that made it. */
export class ToolError extends Error {
  override readonly name = "ToolError";

  constructor(
    message: string,
    /** What to call instead. */
    readonly remedy?: string,
    /** As of the FileError that it tells of. */
    readonly code?: string,
  ) {
    super(message);
  }
}
