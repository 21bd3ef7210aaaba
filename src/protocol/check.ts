/** An assertion or objective as `check --json` and `check --list` tell it. */
export interface ListedCheck {
  readonly text: string;
  /** It stands in; absent of what was given otherwise. */
  readonly file?: string;
  /** From 1. */
  readonly line?: number | undefined;
}

export interface CheckJson extends ListedCheck {
  readonly passed: boolean;
  /** It has not passed, as the data cannot decide. */
  readonly undecided: boolean;
  /** The figure and whose it is, of what has not passed. */
  readonly message: string;
}
