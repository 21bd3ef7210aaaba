/* node:zlib where there is no Node: reading gzip. */
import { Inflate } from "pako";
import { desktopOnly } from "../desktop-only.js";

interface Options {
  readonly chunkSize?: number;
  readonly maxOutputLength?: number;
}

/** An error as zlib's own, by whose code callers tell torn data from damaged. */
function zlibError(code: "Z_BUF_ERROR" | "Z_DATA_ERROR", message: string): Error {
  return Object.assign(new Error(message), { code });
}

interface Listeners {
  data: (bytes: Uint8Array) => void;
  end: () => void;
  error: (error: unknown) => void;
}

/** Unpacks members one behind the other. */
class Unpacker {
  private inflate: Inflate | undefined;
  private out: Uint8Array[] = [];
  private source: readonly Uint8Array[] = [];
  private readonly listeners: Listeners = { data: () => undefined, end: () => undefined, error: () => undefined };
  private isEmpty = true;

  constructor(private readonly chunkSize: number) {}

  /** What these bytes unpack to. */
  push(bytes: Uint8Array): readonly Uint8Array[] {
    this.out = [];
    for (let at = 0; at < bytes.length;) {
      const inflate = (this.inflate ??= this.begin());
      inflate.push(bytes.subarray(at), false);
      if (inflate.err < 0) throw zlibError("Z_DATA_ERROR", inflate.msg);
      this.isEmpty = false;
      if (!inflate.ended) break;
      this.inflate = undefined;
      at = bytes.length - unused(inflate);
      // Padding behind the last member.
      if (bytes[at] === 0) break;
    }
    return this.out;
  }

  finish(): void {
    if (this.inflate !== undefined || this.isEmpty) throw zlibError("Z_BUF_ERROR", "unexpected end of file");
  }

  on<Event extends keyof Listeners>(event: Event, listener: Listeners[Event]): void {
    this.listeners[event] = listener;
  }

  write(bytes: Uint8Array, done: () => void): void {
    this.attempt(() => {
      for (const piece of this.push(bytes)) this.listeners.data(piece);
      done();
    });
  }

  /** @param bytes for who reads them by iteration */
  end(bytes?: Uint8Array): void {
    if (bytes !== undefined) this.source = [bytes];
    else
      this.attempt(() => {
        this.finish();
        this.listeners.end();
      });
  }

  destroy(): void {
    this.source = [];
  }

  *[Symbol.iterator](): Generator<Uint8Array> {
    for (const bytes of this.source) yield* this.push(bytes);
    this.finish();
  }

  private attempt(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.listeners.error(error);
    }
  }

  private begin(): Inflate {
    const inflate = new Inflate({ windowBits: 31, chunkSize: this.chunkSize });
    inflate.onData = (bytes) => void this.out.push(bytes);
    return inflate;
  }
}

/** Of the bytes pushed last those that are not of this member, which pako keeps to itself. */
function unused(inflate: Inflate): number {
  const { strm } = inflate as unknown as { readonly strm: { readonly avail_in: number } };
  return strm.avail_in;
}

export const createGunzip = ({ chunkSize = 1 << 16 }: Options = {}) => new Unpacker(chunkSize);

export function gunzipSync(packed: Uint8Array, { chunkSize = 1 << 16, maxOutputLength = Infinity }: Options = {}) {
  const unpacker = new Unpacker(chunkSize);
  const pieces = unpacker.push(packed);
  unpacker.finish();
  const whole = Buffer.concat(pieces);
  if (whole.length > maxOutputLength) throw zlibError("Z_DATA_ERROR", "longer than it says");
  return whole;
}

/** As node's, with a callback. */
export function gunzip(packed: Uint8Array, options: Options, done: (error: unknown, bytes?: Uint8Array) => void): void {
  try {
    done(null, gunzipSync(packed, options));
  } catch (error) {
    done(error);
  }
}

export function brotliDecompressSync(): never {
  throw desktopOnly("Parquet that is packed with Brotli");
}
