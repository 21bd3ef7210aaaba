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

/** What happened and what to do, without a stack trace. */
export function errorText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const remedy =
    error instanceof Error && "remedy" in error && typeof error.remedy === "string" ? ` ${error.remedy}` : "";
  return `${message}${remedy}`;
}
