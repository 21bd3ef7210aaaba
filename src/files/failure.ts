import { UserError, messageOf, errorCode } from "../core/text/errors.js";
import type { ArtifactFormat, ExportedFile } from "../core/artifacts/index.js";

/** Some formats of an export could not be written; the others have been. */
export class PartialExport extends UserError {
  constructor(
    readonly files: readonly ExportedFile[],
    readonly failures: readonly { readonly format: ArtifactFormat; readonly error: UserError }[],
  ) {
    const reasons = [...new Set(failures.map(({ error }) => error.message))].join(" ");
    const written = files.map(({ format }) => format).join(", ");
    super(
      files.length === 0 ? reasons : `${reasons} These were written: ${written}.`,
      failures.find(({ error }) => error.remedy !== undefined)?.error.remedy,
      { code: "export-failed" },
    );
  }
}

/** What a failed file operation means; an error that says so already is given back. */
export function describeFileError(path: string, error: unknown, doing: "read" | "write"): UserError {
  if (error instanceof UserError) return error;
  const system = errorCode(error);
  const { what, remedies } = REASONS[system ?? ""] ?? { what: messageOf(error) };
  return new UserError(`${path} cannot be ${doing === "read" ? "read" : "written"}: ${what}.`, remedies?.[doing], {
    code: doing === "read" ? undefined : "export-failed",
    system,
  });
}

/** Of a file whose content is not what it should be. @param what it was taken for */
export function unreadable(path: string, what: string, error: unknown, remedy?: string): UserError {
  return new UserError(`${path} cannot be read as ${what}: ${messageOf(error)}.`, remedy);
}

interface Reason {
  readonly what: string;
  readonly remedies?: { readonly read?: string; readonly write?: string };
}

const DENIED: Reason = {
  what: "permission denied",
  remedies: { read: "Change its permissions.", write: "Choose another folder, or change its permissions." },
};

const RAISE = "Raise the limit (ulimit -n), or close what else holds files open.";
const FILES: Reason = { what: "too many files are open", remedies: { read: RAISE, write: RAISE } };

const REASONS: { readonly [code: string]: Reason } = {
  ENOENT: { what: "there is no such file or folder" },
  EISDIR: { what: "it is a folder" },
  EEXIST: { what: "there is a file where a folder should be" },
  ENOTDIR: { what: "a part of its path is a file, not a folder" },
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: { what: "the file system is read-only", remedies: { write: "Choose another folder." } },
  ENOSPC: { what: "the disk is full", remedies: { write: "Free some space and try again." } },
  EDQUOT: { what: "the disk quota is used up", remedies: { write: "Free some space and try again." } },
  EMFILE: FILES,
  ENFILE: FILES,
};
