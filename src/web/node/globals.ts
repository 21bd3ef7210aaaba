/* Globals of Node that bundles for browsers have put in. */

class Bytes extends Uint8Array {
  /** @param wanted a byte, or bytes one behind the other */
  override indexOf(wanted: number | Uint8Array, from = 0): number {
    if (typeof wanted === "number") return super.indexOf(wanted, from);
    const first = wanted[0] ?? 0;
    let at = super.indexOf(first, from);
    while (at >= 0 && !wanted.every((byte, i) => this[at + i] === byte)) at = super.indexOf(first, at + 1);
    return at;
  }

  /** @param encoding "hex", "base64" or "latin1"; absent: UTF-8 */
  override toString(encoding?: string): string {
    if (encoding === "hex") return [...this].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    if (encoding === undefined) return new TextDecoder().decode(this);
    const bytes = String.fromCharCode(...this);
    return encoding === "base64" ? btoa(bytes) : bytes;
  }
}

export const Buffer = {
  /** A copy, but of a buffer a view. */
  from(content: string | Uint8Array | ArrayBuffer, start?: number, length?: number): Uint8Array {
    if (content instanceof ArrayBuffer) return new Bytes(content, start, length);
    return new Bytes(typeof content === "string" ? new TextEncoder().encode(content) : content);
  },
  concat(pieces: readonly Uint8Array[]): Uint8Array {
    const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const piece of pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    return whole;
  },
  compare(a: Uint8Array, b: Uint8Array): number {
    const i = a.findIndex((byte, at) => byte !== b[at]);
    return i < 0 ? a.length - b.length : (a[i] ?? 0) - (b[i] ?? 0);
  },
};

export const process = {
  env: self.environment ?? {},
  platform: "browser",
  pid: 0,
  cwd: () => "/",
  versions: { node: "0" },
  /** A browser tells no worker what it holds. */
  memoryUsage: () => ({ heapTotal: 0, external: 0, arrayBuffers: 0, rss: 0 }),
};

const turns = new self.MessageChannel();
const waiting: (() => void)[] = [];
turns.port1.onmessage = () => waiting.shift()?.();

/** Sooner than setTimeout, which browsers make wait 4 ms. */
export function setImmediate(work: () => void): void {
  waiting.push(work);
  turns.port2.postMessage(undefined);
}

/** A page that is not isolated from others has none: nothing is shared with other threads here. */
const shared = self.SharedArrayBuffer ?? ArrayBuffer;
export { shared as SharedArrayBuffer };
