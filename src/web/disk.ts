/** An entry of a folder, or what a path leads to. */
export interface DiskEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
}

export interface DiskStats extends DiskEntry {
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly mtimeMs: number;
}

/** What a browser's worker asks the extension host, which alone reaches files. */
export interface DiskRequests {
  statFile: { readonly params: { readonly path: string }; readonly result: DiskStats };
  readFolder: { readonly params: { readonly path: string }; readonly result: readonly DiskEntry[] };
  readPart: {
    readonly params: { readonly path: string; readonly start: number; readonly length: number };
    readonly result: Uint8Array;
  };
}

/** Reads files. Every error has one of the system's codes, such as ENOENT, where it is one of those. */
export type Disk = {
  readonly [K in keyof DiskRequests]: (params: DiskRequests[K]["params"]) => Promise<DiskRequests[K]["result"]>;
};

let current: Disk | undefined;

/** To be called first: by `node:fs` as bundles for browsers have it, everything is read from there. */
export function useDisk(disk: Disk): void {
  current = disk;
}

export function disk(): Disk {
  if (current === undefined) throw new Error("there is no disk yet");
  return current;
}
