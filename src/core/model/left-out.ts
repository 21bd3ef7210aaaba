/** A file of a folder that is not read, and why. */
export interface LeftOutFile {
  readonly path: string;
  readonly reason: string;
}

/**
 * So many files of a folder that end the process or engine which reads them, such as by their memory, are left out;
 * each costs that those before it are read again.
 */
export const MAX_LEFT_OUT = 20;
