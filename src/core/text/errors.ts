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

/** What else an error says, for the code that meets it. */
export interface UserErrorDetails {
  /** What kind of failure it is, for callers that treat it in their own way; "failed" if absent. */
  readonly code?: string | undefined;
  /** The system's own code, such as ENOSPC, where that is what it met. */
  readonly system?: string | undefined;
  /** The full key of the setting to correct. */
  readonly setting?: string | undefined;
}

/** A failure worded for a person: the message says what happened, the remedy what to do. It crosses every channel. */
export class UserError extends Error {
  override readonly name = "UserError";
  readonly code: string;
  readonly system: string | undefined;
  readonly setting: string | undefined;

  constructor(
    message: string,
    readonly remedy?: string,
    { code = "failed", system, setting }: UserErrorDetails = {},
  ) {
    super(message);
    this.code = code;
    this.system = system;
    this.setting = setting;
  }
}

/** Whether an error is a `UserError`, also one of another bundle, which has a class of its own. */
export function isUserError(error: unknown): error is UserError {
  return error instanceof Error && error.name === "UserError";
}
