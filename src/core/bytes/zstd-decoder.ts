import { Decompress } from "fzstd";
import { ZstdFrames } from "./zstd-frames.js";

/** What a stream may ask of the decoder, as `ZstdFrames` has it. */
export interface ZstdBounds {
  /** Bytes. */
  readonly mostWindow: number;
  readonly movedPerByte: number;
}

/**
 * Unpacks zstd (RFC 8878) as it comes, within bounds. Four bytes may stand for a block of 128 KiB: the memory is bound
 * by how much is pushed at once. Before Node 22.15 node:zlib has no zstd.
 */
export class ZstdDecoder {
  private ready: Uint8Array[] = [];
  private readonly frames: ZstdFrames;
  private readonly decoder = new Decompress((block, isLast) => {
    if (!isLast) this.frames.unpacked(block.length);
    // A block may be a view of what the decoder overwrites with the next.
    if (block.length > 0) this.ready.push(block.slice());
  });

  constructor({ mostWindow, movedPerByte }: ZstdBounds) {
    this.frames = new ZstdFrames(mostWindow, movedPerByte);
  }

  /** What the decoder has moved so far, bytes: its work. */
  get movedBytes(): number {
    return this.frames.movedBytes;
  }

  /** @throws ZstdExcess; the decoder's error for what is no zstd */
  push(piece: Uint8Array): void {
    this.frames.push(piece);
    this.decoder.push(piece);
  }

  /** @throws the decoder's error when the stream ends within a frame */
  end(): void {
    this.decoder.push(new Uint8Array(0), true);
  }

  /** The blocks that were unpacked since the last call, also those before an error. */
  taken(): Uint8Array[] {
    const blocks = this.ready;
    this.ready = [];
    return blocks;
  }
}
