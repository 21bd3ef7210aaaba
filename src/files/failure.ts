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
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const [what, remedy] = REASONS[code] ?? [error instanceof Error ? error.message : String(error), undefined];
  return new FileError(
    `${path} cannot be ${doing === "read" ? "read" : "written"}: ${what}.`,
    remedy,
    doing === "read" ? "unreadable" : "export-failed",
    code === "" ? undefined : code,
  );
}

const REASONS: Record<string, readonly [what: string, remedy?: string]> = {
  ENOENT: ["there is no such file or folder"],
  EISDIR: ["it is a folder"],
  EEXIST: ["there is a file where a folder should be"],
  ENOTDIR: ["a part of its path is a file, not a folder"],
  EACCES: ["permission denied", "Choose another folder, or change its permissions."],
  EPERM: ["permission denied", "Choose another folder, or change its permissions."],
  EROFS: ["the file system is read-only", "Choose another folder."],
  ENOSPC: ["the disk is full", "Free some space and try again."],
  EDQUOT: ["the disk quota is used up", "Free some space and try again."],
  EMFILE: ["too many files are open"],
};
