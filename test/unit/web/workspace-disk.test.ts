import { beforeEach, describe, expect, it, vi } from "vitest";

const { files, reads, vscode } = vi.hoisted(() => {
  class FileSystemError extends Error {
    constructor(readonly code: string) {
      super(code);
    }
  }
  const entries = new Map<string, { type: number; size: number; mtime: number }>();
  const counted: string[] = [];
  const uri = (path: string) => ({ scheme: "memfs", path, with: (change: { path: string }) => uri(change.path) });
  const statOf = (path: string) => {
    const entry = entries.get(path);
    if (entry === undefined) throw new FileSystemError("FileNotFound");
    return entry;
  };
  return {
    files: entries,
    reads: counted,
    vscode: {
      FileSystemError,
      FileType: { File: 1, Directory: 2, SymbolicLink: 64 },
      Uri: { file: uri },
      workspace: {
        workspaceFolders: [{ uri: uri("/repo") }],
        fs: {
          stat: ({ path }: { path: string }) => Promise.resolve().then(() => statOf(path)),
          readDirectory: () =>
            Promise.resolve([
              ["a.json", 1],
              ["runs", 2],
              ["link.json", 65],
            ]),
          readFile: ({ path }: { path: string }) => {
            counted.push(path);
            return Promise.resolve(new Uint8Array(statOf(path).size).map((_, i) => i));
          },
        },
      },
    },
  };
});
vi.mock("vscode", () => vscode);

const { workspaceDisk } = await import("../../../src/web/workspace-disk.js");

describe("the files of a workspace without Node", () => {
  beforeEach(() => {
    reads.length = 0;
    files.clear();
    files.set("/repo/a.json", { type: 1, size: 10, mtime: 1 });
  });

  it("are read once, and anew when they have changed", async () => {
    const part = { path: "/repo/a.json", start: 2, length: 3 };
    expect([...(await workspaceDisk.readPart(part))]).toEqual([2, 3, 4]);
    expect([...(await workspaceDisk.readPart({ ...part, start: 8 }))]).toEqual([8, 9]);
    expect(reads).toEqual(["/repo/a.json"]);
    files.set("/repo/a.json", { type: 1, size: 4, mtime: 2 });
    expect(await workspaceDisk.statFile(part)).toMatchObject({ kind: "file", size: 4 });
    expect([...(await workspaceDisk.readPart(part))]).toEqual([2, 3]);
    expect(reads).toHaveLength(2);
  });

  it("are refused when they are larger than what is read into memory", async () => {
    files.set("/repo/big.parquet", { type: 1, size: 300 * 1024 ** 2, mtime: 1 });
    await expect(workspaceDisk.readPart({ path: "/repo/big.parquet", start: 0, length: 4 })).rejects.toMatchObject({
      message: "/repo/big.parquet has 300 MiB: in the browser, files of up to 256 MiB are read.",
      remedy: "Open it in VS Code on a desktop or a remote.",
    });
    expect(reads).toEqual([]);
  });

  it("are told apart from folders and links, and those that are not there by the system's code", async () => {
    expect((await workspaceDisk.readFolder({ path: "/repo" })).map(({ kind }) => kind)).toEqual([
      "file",
      "folder",
      "link",
    ]);
    await expect(workspaceDisk.statFile({ path: "/repo/none" })).rejects.toMatchObject({
      code: "ENOENT",
      message: "/repo/none cannot be read: there is no such file or folder.",
    });
  });
});
