/** What happened and, where the error says it, what to do: for a person or an agent, without a stack trace. */
export function errorText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const remedy =
    error instanceof Error && "remedy" in error && typeof error.remedy === "string" ? ` ${error.remedy}` : "";
  return `${message}${remedy}`;
}
