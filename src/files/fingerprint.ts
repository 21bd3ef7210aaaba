import { createHash } from "node:crypto";
import { RegularFile, type Reach } from "./opener.js";

const CHUNK = 1 << 20;

/** Size and SHA-256 of a file as it lies on disk, packed or not. @throws UserError; the signal's reason */
export async function fingerprintOf(
  path: string,
  { signal, ...reach }: Reach & { readonly signal?: AbortSignal } = {},
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const file = await RegularFile.open(path, reach);
  try {
    const hash = createHash("sha256");
    const chunk = new Uint8Array(Math.min(CHUNK, Math.max(1, file.size)));
    for (let at = 0; at < file.size;) {
      signal?.throwIfAborted();
      const length = await file.read(chunk, at);
      if (length === 0) break;
      hash.update(chunk.subarray(0, length));
      at += length;
    }
    return { bytes: file.size, sha256: hash.digest("hex") };
  } finally {
    await file.close();
  }
}
