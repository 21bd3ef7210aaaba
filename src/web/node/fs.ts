/* node:fs and node:fs/promises where there is no Node: reading alone, from the workbench's files. */
import { disk, type DiskEntry } from "../disk.js";

export const constants = { O_RDONLY: 0 };

class Entry {
  constructor(
    readonly name: string,
    private readonly kind: DiskEntry["kind"],
  ) {}
  isFile = () => this.kind === "file";
  isDirectory = () => this.kind === "folder";
  isSymbolicLink = () => this.kind === "link";
  isFIFO = () => false;
  isSocket = () => false;
}

class Stats extends Entry {
  /** File systems of the workbench number neither. */
  readonly dev = 0;
  readonly ino = 0;
  readonly blocks = 0;
  constructor(
    name: string,
    kind: DiskEntry["kind"],
    readonly size: number,
    readonly mtimeMs: number,
  ) {
    super(name, kind);
  }
}

export async function lstat(path: string): Promise<Stats> {
  const { name, kind, size, mtimeMs } = await disk().statFile({ path });
  return new Stats(name, kind, size, mtimeMs);
}

/** The workbench reads through links. */
export async function stat(path: string): Promise<Stats> {
  const { name, kind, size, mtimeMs } = await disk().statFile({ path });
  return new Stats(name, kind === "link" ? "file" : kind, size, mtimeMs);
}

export async function readdir(path: string, options?: { readonly withFileTypes?: boolean }) {
  const entries = await disk().readFolder({ path });
  return options?.withFileTypes === true
    ? entries.map(({ name, kind }) => new Entry(name, kind))
    : entries.map(({ name }) => name);
}

export const realpath = (path: string): Promise<string> => Promise.resolve(path);

export async function open(path: string) {
  const stats = await stat(path);
  return {
    stat: () => Promise.resolve(stats),
    close: () => Promise.resolve(),
    async read(into: Uint8Array, offset: number, length: number, start: number) {
      const bytes = await disk().readPart({ path, start, length });
      into.set(bytes, offset);
      return { bytesRead: bytes.length };
    },
  };
}
