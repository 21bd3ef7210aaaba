import { createGzip, gzipSync, type Gzip } from "node:zlib";

/** Bytes of text that are packed together, or a line that is longer. */
const PIECE_BYTES = 1 << 18;
const FIRST_BYTES = 1 << 14;
/** Of packed bytes. Each piece of them takes a turn of the thread pool, which a busy machine is slow to give. */
const PACKED_BYTES = 1 << 16;
/** Pieces whose memory is kept for the next. */
const SPARE_PIECES = 2;
const NONE = Buffer.alloc(0);

/**
 * A member of a journal, packed piece by piece while its lines come: a second of 200 endpoints is 15 MB of text, which
 * never lies in memory whole.
 */
export class Packer {
  /** Of more than one piece. */
  private stream: PackedStream | undefined;
  /** Lines that are not given to gzip yet. */
  private text: Buffer = NONE;
  private length = 0;
  private passed = 0;

  /** @param spare memory of pieces that have been packed, which the packers of one journal share */
  constructor(
    private readonly level: number,
    private readonly spare: Buffer[],
  ) {}

  /** Bytes of text that it was given. */
  get bytes(): number {
    return this.passed + this.length;
  }

  append(text: string): void {
    // No character takes more than three bytes of UTF-8.
    this.reserve(3 * text.length);
    this.length += this.text.write(text, this.length);
  }

  /**
   * A piece is packed at once, in a few milliseconds: beside other load the thread pool would come to it in several
   * turns, each after half a second at worst.
   * @returns all of it, as one member of gzip
   */
  async end(): Promise<Uint8Array> {
    if (this.stream === undefined && this.length <= PIECE_BYTES) {
      const packed = gzipSync(this.text.subarray(0, this.length), { level: this.level });
      this.keep(this.text);
      return packed;
    }
    this.pass();
    return this.packing().end();
  }

  private reserve(bytes: number): void {
    if (this.length + bytes > PIECE_BYTES) this.pass();
    if (this.text.length === 0) this.text = this.spare.pop() ?? this.text;
    if (this.length + bytes <= this.text.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, 2 * this.text.length, this.length + bytes));
    grown.set(this.text.subarray(0, this.length));
    this.text = grown;
  }

  private pass(): void {
    if (this.length === 0) return;
    const { text, length } = this;
    this.text = NONE;
    this.length = 0;
    this.passed += length;
    this.packing().gzip.write(text.subarray(0, length), () => this.keep(text));
  }

  private packing(): PackedStream {
    return (this.stream ??= new PackedStream(this.level));
  }

  private keep(text: Buffer): void {
    if (text.length > 0 && this.spare.length < SPARE_PIECES) this.spare.push(text);
  }
}

/** Gzip on the thread pool. */
class PackedStream {
  readonly gzip: Gzip;
  private readonly packed: Buffer[] = [];
  private readonly ended: Promise<void>;

  constructor(level: number) {
    this.gzip = createGzip({ level, chunkSize: PACKED_BYTES });
    this.gzip.on("data", (piece: Buffer) => this.packed.push(piece));
    this.ended = new Promise((resolve, reject) => {
      this.gzip.once("end", resolve);
      this.gzip.once("error", reject);
    });
    // Heard by who ends it.
    this.ended.catch(() => {});
  }

  async end(): Promise<Uint8Array> {
    this.gzip.end();
    await this.ended;
    return Buffer.concat(this.packed);
  }
}
