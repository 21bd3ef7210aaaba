import type { ColumnMetaData, PageHeader } from "hyparquet/src/types.js";
import { readPlain } from "hyparquet/src/plain.js";
import { READ_BEYOND, readHybrid } from "./hybrid-runs.js";

/** The code of rows without a value. */
export const ABSENT = 0;

export type PageValues = ReturnType<typeof readPlain>;

/** One data page: its bytes, and which of its rows have a value. */
export class DataPage {
  /** Rows that have one. */
  values = 0;
  private bytes = new Uint8Array(0);
  private view = new DataView(this.bytes.buffer);
  private length = 0;
  private count = 0;
  /** 1 for rows that have one, unless all have. */
  private levels = new Int32Array(0);
  /** Codes of the rows that have one. */
  private dense = new Int32Array(0);

  /** A copy of these bytes, behind which may be read. */
  load(bytes: Uint8Array): void {
    if (this.bytes.length < bytes.length + READ_BEYOND) {
      this.bytes = new Uint8Array(2 * bytes.length + READ_BEYOND);
      this.view = new DataView(this.bytes.buffer);
    }
    this.bytes.set(bytes);
    this.length = bytes.length;
  }

  /**
   * Reads the levels.
   * @param required whether there are none
   * @param whole whether they say that all rows have a value
   * @returns where the values begin
   */
  open(
    bytes: Uint8Array,
    header: PageHeader,
    required: boolean,
    whole: boolean,
    decompressed: (bytes: Uint8Array, size: number) => Uint8Array,
  ): number {
    const { data_page_header: first, data_page_header_v2: second } = header;
    if (second === undefined) {
      this.load(decompressed(bytes, header.uncompressed_page_size));
      this.count = this.values = first?.num_values ?? 0;
      if (required) return 0;
      const end = 4 + (this.length < 4 ? 0 : this.view.getUint32(0, true));
      if (!whole) this.readLevels(4, Math.min(end, this.length));
      return end;
    }
    const { repetition_levels_byte_length: skipped, definition_levels_byte_length: length } = second;
    this.count = this.values = second.num_values;
    const at = skipped + length;
    if (length > 0) {
      this.load(bytes.subarray(skipped, at));
      this.readLevels(0, length);
    }
    const rest = bytes.subarray(at);
    this.load(second.is_compressed === false ? rest : decompressed(rest, header.uncompressed_page_size - at));
    return 0;
  }

  /** Takes the levels as another reader found them. */
  levelled(levels: readonly number[] | undefined, count: number): void {
    this.count = this.values = count;
    if (levels === undefined || levels.length === 0) return;
    this.reserve();
    this.values = 0;
    for (let i = 0; i < count; i++) this.values += this.levels[i] = levels[i] ?? 0;
  }

  /** Plain values from `at` on. They may lie in the page's own memory. */
  plain(at: number, type: ColumnMetaData["type"], count: number): PageValues {
    return readPlain({ view: new DataView(this.bytes.buffer, 0, this.length), offset: at }, type, count, undefined);
  }

  /** Reads places in the dictionary from `at` on, as codes of the rows from `row` on. */
  codes(at: number, out: Int32Array, row: number): void {
    if (this.values === 0) {
      out.fill(ABSENT, row, row + this.count);
      return;
    }
    const width = this.view.getUint8(at);
    if (width > 32) throw new Error(`its codes have ${width} bits`);
    const whole = this.values === this.count;
    readHybrid(
      this.view,
      at + 1,
      this.length,
      width,
      this.values,
      whole ? out : this.dense,
      whole ? row : 0,
      ABSENT + 1,
    );
    if (whole) return;
    const { levels, dense } = this;
    for (let i = 0, next = 0; i < this.count; i++) out[row + i] = levels[i] === 1 ? (dense[next++] ?? ABSENT) : ABSENT;
  }

  /** Gives the rows from `row` on that have a value codes that ascend from `first` on. */
  present(out: Int32Array, row: number, first: number): void {
    const { levels, count } = this;
    const whole = this.values === count;
    for (let i = row; i < row + count; i++) out[i] = whole || levels[i - row] === 1 ? first++ : ABSENT;
  }

  private readLevels(at: number, end: number): void {
    this.reserve();
    readHybrid(this.view, at, end, 1, this.count, this.levels, 0, 0);
    this.values = 0;
    for (let i = 0; i < this.count; i++) this.values += this.levels[i] ?? 0;
  }

  private reserve(): void {
    if (this.levels.length >= this.count) return;
    this.levels = new Int32Array(this.count);
    this.dense = new Int32Array(this.count);
  }
}
