/** A file or folder that could not be used, in words for a person. */
export class FileError extends Error {
  override readonly name = "FileError";
  readonly code: string;

  constructor(
    message: string,
    readonly remedy?: string,
    code = "unreadable",
  ) {
    super(message);
    this.code = code;
  }
}

/** What a failed file operation means. */
export function describeFileError(path: string, error: unknown, doing: "read" | "write"): FileError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const [what, remedy] = REASONS[code] ?? [error instanceof Error ? error.message : String(error), undefined];
  return new FileError(
    `${path} cannot be ${doing === "read" ? "read" : "written"}: ${what}.`,
    remedy,
    doing === "read" ? "unreadable" : "export-failed",
  );
}

const REASONS: Record<string, readonly [what: string, remedy?: string]> = {
  ENOENT: ["there is no such file or folder"],
  EISDIR: ["it is a folder"],
  ENOTDIR: ["a part of its path is a file, not a folder"],
  EACCES: ["permission denied", "Choose another folder, or change its permissions."],
  EPERM: ["permission denied", "Choose another folder, or change its permissions."],
  EROFS: ["the file system is read-only", "Choose another folder."],
  ENOSPC: ["the disk is full", "Free some space and export again; nothing was lost."],
  EDQUOT: ["the disk quota is used up", "Free some space and export again; nothing was lost."],
  EMFILE: ["too many files are open"],
};
