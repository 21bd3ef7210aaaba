/**
 * A failure worded for the person at the keyboard: what happened, and what to do. Never carries a stack to the screen.
 */
export class UserError extends Error {
  override readonly name = "UserError";

  constructor(
    message: string,
    readonly remedy?: string,
    /** Setting to open from the message, by its full key. */
    readonly setting?: string,
  ) {
    super(message);
  }
}
