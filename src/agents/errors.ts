/** A call that cannot be answered, in words for the agent that made it. */
export class ToolError extends Error {
  override readonly name = "ToolError";

  constructor(
    message: string,
    /** What to call instead. */
    readonly remedy?: string,
  ) {
    super(message);
  }
}
