/*
 * What the frames of a zstd stream ask for (RFC 8878, 3.1), known before anything is unpacked: a frame of twenty bytes
 * may ask for a window of gigabytes, and any decoder that believes it makes room for that.
 */

import { grouped } from "../text/plural.js";

const MAGIC = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;
const RLE = 1;
/** Bytes of windows that a decoder may move before it has unpacked anything: about a second's work. */
const MOVED_AT_FIRST = 8 * 1024 ** 3;

/** What is asked for is more than any encoder asks for. */
export class ZstdExcess extends Error {
  override readonly name = "ZstdExcess";
}

type FramePart = "magic" | "skippable" | "descriptor" | "header" | "block";
const BYTES: Readonly<Record<Exclude<FramePart, "header">, number>> = {
  magic: 4,
  skippable: 4,
  descriptor: 1,
  block: 3,
};

/**
 * Reads the headers of frames and blocks as they come, passes over what lies between them, and stops what would cost a
 * decoder more than it gives: fzstd makes room for a frame's window, and moves all of it at each block.
 */
export class ZstdFrames {
  /** The largest window that a frame so far asks for, bytes. */
  private windowBytes = 0;
  /** What the decoder has moved so far, bytes: its work. */
  movedBytes = 0;
  private unpackedBytes = 0;
  private part: FramePart = "magic";
  private wanted = BYTES.magic;
  private held: number[] = [];
  private skipped = 0;
  private descriptor = 0;
  private isOver = false;

  /**
   * @param mostWindow bytes that a frame may ask for
   * @param movedPerByte bytes that may be moved per byte that is unpacked: the window by the size of its blocks
   */
  constructor(
    private readonly mostWindow: number,
    private readonly movedPerByte: number,
  ) {}

  /**
   * Takes what the decoder is given next. What is no zstd is not read on: the decoder has its own word for it.
   * @throws ZstdExcess
   */
  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length && !this.isOver;) {
      if (this.skipped > 0) {
        const passed = Math.min(this.skipped, bytes.length - at);
        this.skipped -= passed;
        at += passed;
        continue;
      }
      this.held.push(bytes[at++] ?? 0);
      if (this.held.length < this.wanted) continue;
      const held = Uint8Array.from(this.held);
      this.held = [];
      this.read(held);
    }
  }

  /** Takes the length of a block that was unpacked. @throws ZstdExcess */
  unpacked(bytes: number): void {
    this.movedBytes += this.windowBytes;
    this.unpackedBytes += bytes;
    if (this.movedBytes > MOVED_AT_FIRST + this.movedPerByte * this.unpackedBytes)
      throw new ZstdExcess("its blocks are far too small for their window");
  }

  private read(bytes: Uint8Array): void {
    switch (this.part) {
      case "magic": {
        const magic = number(bytes, 0, 4);
        if (magic === MAGIC) this.expect("descriptor");
        else if (magic - (magic % 16) === SKIPPABLE) this.expect("skippable");
        else this.isOver = true;
        return;
      }
      case "skippable":
        this.skipped = number(bytes, 0, 4);
        return this.expect("magic");
      case "descriptor": {
        this.descriptor = bytes[0] ?? 0;
        const { contentAt, contentBytes } = fieldsOf(this.descriptor);
        this.part = "header";
        this.wanted = contentAt + contentBytes;
        return;
      }
      case "header":
        this.windowBytes = Math.max(this.windowBytes, windowOf(this.descriptor, bytes));
        if (this.windowBytes > this.mostWindow)
          throw new ZstdExcess(
            `a frame asks for a window of ${mib(this.windowBytes)} MiB; at most ${mib(this.mostWindow)} are accepted`,
          );
        return this.expect("block");
      case "block": {
        const header = number(bytes, 0, 3);
        this.skipped = ((header >> 1) & 3) === RLE ? 1 : header >> 3;
        if ((header & 1) === 0) return this.expect("block");
        if ((this.descriptor & 4) !== 0) this.skipped += 4;
        return this.expect("magic");
      }
    }
  }

  private expect(part: Exclude<FramePart, "header">): void {
    this.part = part;
    this.wanted = BYTES[part];
  }
}

/** What follows the descriptor in a frame's header: a window unless it is single, a dictionary, the content's size. */
function fieldsOf(descriptor: number) {
  const isSingle = (descriptor & 32) !== 0;
  const code = descriptor >> 6;
  const contentAt = (isSingle ? 0 : 1) + ([0, 1, 2, 4][descriptor & 3] ?? 0);
  return { isSingle, contentAt, contentBytes: code > 0 ? 1 << code : isSingle ? 1 : 0 };
}

function windowOf(descriptor: number, header: Uint8Array): number {
  const { isSingle, contentAt, contentBytes } = fieldsOf(descriptor);
  // The whole content is the window then.
  if (isSingle) return number(header, contentAt, contentBytes) + (contentBytes === 2 ? 256 : 0);
  const [window = 0] = header;
  const base = 2 ** (10 + (window >> 3));
  return base + (base / 8) * (window & 7);
}

const mib = (bytes: number) => grouped(Math.ceil(bytes / 1024 ** 2));

function number(bytes: Uint8Array, at: number, length: number): number {
  let value = 0;
  for (let i = length - 1; i >= 0; i--) value = value * 256 + (bytes[at + i] ?? 0);
  return value;
}
