/* node:zlib where there is no Node: reading gzip. */
import { Inflate, type InflateOptions } from "pako";
import { desktopOnly } from "../desktop-only.js";

interface Options {
  readonly chunkSize?: number;
  readonly maxOutputLength?: number;
}

/** An error as zlib's own, by whose code callers tell torn data from damaged. */
function zlibError(code: "Z_BUF_ERROR" | "Z_DATA_ERROR", message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** Unpacks members one behind the other. */
class Unpacker {
  private inflate: Inflate | undefined;
  private out: Uint8Array[] = [];
  private source: AsyncIterable<Uint8Array> | Iterable<Uint8Array> = [];
  /** Packed bytes used. */
  bytesWritten = 0;

  constructor(private readonly options: InflateOptions) {}

  /** What these bytes unpack to. */
  push(bytes: Uint8Array): readonly Uint8Array[] {
    this.out = [];
    for (let at = 0; at < bytes.length;) {
      const inflate = (this.inflate ??= this.begin());
      const before = used(inflate);
      inflate.push(bytes.subarray(at), false);
      if (inflate.err < 0) throw zlibError("Z_DATA_ERROR", inflate.msg);
      const taken = used(inflate) - before;
      this.bytesWritten += taken;
      if (!inflate.ended) break;
      this.inflate = undefined;
      at += taken;
      // Padding behind the last member.
      if (this.options.raw === true || bytes[at] === 0) break;
    }
    return this.out;
  }

  finish(): void {
    if (this.inflate !== undefined || this.bytesWritten === 0) throw zlibError("Z_BUF_ERROR", "unexpected end of file");
  }

  end(bytes: Uint8Array): void {
    this.source = [bytes];
  }

  readFrom(source: AsyncIterable<Uint8Array>): this {
    this.source = source;
    return this;
  }

  destroy(): void {
    this.source = [];
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for await (const bytes of this.source) yield* this.push(bytes);
    this.finish();
  }

  private begin(): Inflate {
    const inflate = new Inflate(this.options);
    inflate.onData = (bytes) => void this.out.push(bytes);
    return inflate;
  }
}

/** Packed bytes that have been used, which pako keeps to itself. */
function used(inflate: Inflate): number {
  const { strm } = inflate as unknown as { readonly strm: { readonly total_in: number } };
  return strm.total_in;
}

export const createGunzip = ({ chunkSize = 1 << 16 }: Options = {}) => new Unpacker({ windowBits: 31, chunkSize });
export const createInflateRaw = () => new Unpacker({ raw: true, chunkSize: 1 << 16 });

export function gunzipSync(packed: Uint8Array, { chunkSize = 1 << 16, maxOutputLength = Infinity }: Options = {}) {
  const unpacker = new Unpacker({ windowBits: 31, chunkSize });
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
