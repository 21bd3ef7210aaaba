import { errorCode } from "../core/text/error-text.js";
import type { ArtifactFormat, ExportedFile } from "../core/artifacts/index.js";

/** A file or folder that could not be used, in words for a person. */
export class FileError extends Error {
  override readonly name = "FileError";
  readonly code: string;

  constructor(
    message: string,
    readonly remedy?: string,
    code = "unreadable",
    /** The system's own code, such as ENOSPC, where that is what it met. */
    readonly system?: string,
  ) {
    super(message);
    this.code = code;
  }
}

/** Some formats of an export could not be written; the others have been. */
export class PartialExport extends FileError {
  constructor(
    readonly files: readonly ExportedFile[],
    readonly failures: readonly { readonly format: ArtifactFormat; readonly error: FileError }[],
  ) {
    const reasons = [...new Set(failures.map(({ error }) => error.message))].join(" ");
    const written = files.map(({ format }) => format).join(", ");
    super(
      files.length === 0 ? reasons : `${reasons} These were written: ${written}.`,
      failures.find(({ error }) => error.remedy !== undefined)?.error.remedy,
      "export-failed",
    );
  }
}

/** What a failed file operation means; an error that says so already is given back. */
export function describeFileError(path: string, error: unknown, doing: "read" | "write"): FileError {
  if (error instanceof FileError) return error;
  const system = errorCode(error);
  const { what, remedies } = REASONS[system ?? ""] ?? { what: error instanceof Error ? error.message : String(error) };
  return new FileError(
    `${path} cannot be ${doing === "read" ? "read" : "written"}: ${what}.`,
    remedies?.[doing],
    doing === "read" ? "unreadable" : "export-failed",
    system,
  );
}

interface Reason {
  readonly what: string;
  readonly remedies?: { readonly read?: string; readonly write?: string };
}

const DENIED: Reason = {
  what: "permission denied",
  remedies: { read: "Change its permissions.", write: "Choose another folder, or change its permissions." },
};

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
  EMFILE: { what: "too many files are open" },
};
