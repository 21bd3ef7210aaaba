/** The code that the system or a layer below gave an error, such as ENOENT; undefined of one without. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** What happened, in the words of who threw it. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What happened and, where the error says it, what to do: for a person or an agent, without a stack trace. */
export function errorText(error: unknown): string {
  const remedy =
    error instanceof Error && "remedy" in error && typeof error.remedy === "string" ? ` ${error.remedy}` : "";
  return `${messageOf(error)}${remedy}`;
}
