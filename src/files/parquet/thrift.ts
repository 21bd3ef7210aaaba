/**
 * Thrift's compact protocol, as far as a Parquet footer uses it (thrift.apache.org, "Thrift Compact protocol
 * encoding").
 */
export type ThriftValue =
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "integer"; readonly type: IntegerType; readonly value: bigint }
  | { readonly kind: "double"; readonly bytes: Uint8Array }
  | { readonly kind: "binary"; readonly bytes: Uint8Array }
  | { readonly kind: "list"; readonly type: number; readonly items: readonly ThriftValue[] }
  | ThriftStruct
  /** A value that is encoded already. */
  | { readonly kind: "encoded"; readonly bytes: Uint8Array };

export interface ThriftStruct {
  readonly kind: "struct";
  /** By field id. */
  readonly fields: ReadonlyMap<number, ThriftValue>;
}

const TRUE = 1;
const FALSE = 2;
const BYTE = 3;
const DOUBLE = 7;
const BINARY = 8;
const LIST = 9;
const SET = 10;
const STRUCT = 12;
export const I32 = 5;
export const I64 = 6;
type IntegerType = 3 | 4 | 5 | 6;
const SHORT_BYTES = 7;

/**
 * @param encodedItems id of a field of the struct, a list of structs, whose items stay encoded: of a file of many row
 *   groups, they are by far
 *   the most of its footer
 * @throws Error when the bytes are no struct of this protocol
 */
export function readStruct(bytes: Uint8Array, encodedItems?: number): ThriftStruct {
  return new Reader(bytes).struct(encodedItems);
}

export function writeStruct(value: ThriftStruct): Uint8Array {
  const writer = new Writer();
  writer.struct(value);
  return writer.bytes();
}

export function integer(value: bigint, type: IntegerType = I64): ThriftValue {
  return { kind: "integer", type, value };
}

class Reader {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  struct(encodedItems?: number): ThriftStruct {
    const fields = new Map<number, ThriftValue>();
    let id = 0;
    for (;;) {
      const header = this.byte();
      if (header === 0) return { kind: "struct", fields };
      const delta = header >>> 4;
      id = delta === 0 ? Number(this.zigzag()) : id + delta;
      const type = header & 15;
      fields.set(
        id,
        type === TRUE || type === FALSE
          ? { kind: "bool", value: type === TRUE }
          : type === LIST && id === encodedItems
            ? this.encodedList()
            : this.value(type),
      );
    }
  }

  private value(type: number): ThriftValue {
    switch (type) {
      case TRUE:
      case FALSE:
        // Within a list a bool is a byte of its own.
        return { kind: "bool", value: this.byte() === TRUE };
      case BYTE:
        return { kind: "integer", type, value: BigInt((this.byte() << 24) >> 24) };
      case 4:
      case I32:
      case I64:
        return { kind: "integer", type, value: this.zigzag() };
      case DOUBLE:
        return { kind: "double", bytes: this.take(8) };
      case BINARY:
        return { kind: "binary", bytes: this.take(this.length()) };
      case LIST:
      case SET:
        return this.list();
      case STRUCT:
        return this.struct();
      default:
        throw new Error(`unknown type ${type} at byte ${this.at} of the footer`);
    }
  }

  private encodedList(): ThriftValue {
    const { type, size } = this.listHeader();
    const items: ThriftValue[] = [];
    for (let i = 0; i < size; i++) {
      const start = this.at;
      this.skip(type);
      items.push({ kind: "encoded", bytes: this.bytes.subarray(start, this.at) });
    }
    return { kind: "list", type, items };
  }

  private skip(type: number): void {
    switch (type) {
      case TRUE:
      case FALSE:
      case BYTE:
        this.byte();
        return;
      case 4:
      case I32:
      case I64:
        while (this.byte() >= 128);
        return;
      case DOUBLE:
        this.take(8);
        return;
      case BINARY:
        this.take(this.length());
        return;
      case LIST:
      case SET: {
        const { type: of, size } = this.listHeader();
        for (let i = 0; i < size; i++) this.skip(of);
        return;
      }
      case STRUCT:
        for (let header = this.byte(); header !== 0; header = this.byte()) {
          if (header >>> 4 === 0) this.zigzag();
          const field = header & 15;
          if (field !== TRUE && field !== FALSE) this.skip(field);
        }
        return;
      default:
        throw new Error(`unknown type ${type} at byte ${this.at} of the footer`);
    }
  }

  private listHeader(): { readonly type: number; readonly size: number } {
    const header = this.byte();
    return { type: header & 15, size: header >>> 4 === 15 ? this.length() : header >>> 4 };
  }

  private list(): ThriftValue {
    const { type, size } = this.listHeader();
    const items: ThriftValue[] = [];
    for (let i = 0; i < size; i++) items.push(this.value(type));
    return { kind: "list", type, items };
  }

  private byte(): number {
    const byte = this.bytes[this.at++];
    if (byte === undefined) throw new Error(`the footer ends at byte ${this.bytes.length}, within a value`);
    return byte;
  }

  private take(length: number): Uint8Array {
    const end = this.at + length;
    if (end > this.bytes.length)
      throw new Error(`a value of ${length} bytes does not fit in the footer of ${this.bytes.length}`);
    const taken = this.bytes.subarray(this.at, end);
    this.at = end;
    return taken;
  }

  private length(): number {
    return Number(this.varint());
  }

  private zigzag(): bigint {
    const value = this.varint();
    return (value >> 1n) ^ -(value & 1n);
  }

  private varint(): bigint {
    // Most are short: up to seven bytes a number holds them, which is far quicker to make.
    let short = 0;
    for (let i = 0, scale = 1; i < SHORT_BYTES; i++, scale *= 128) {
      const byte = this.byte();
      short += (byte & 127) * scale;
      if (byte < 128) return BigInt(short);
    }
    let value = BigInt(short);
    for (let shift = 7n * BigInt(SHORT_BYTES); shift < 70n; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
    throw new Error(`a number at byte ${this.at} of the footer has no end`);
  }
}

class Writer {
  private buffer = new Uint8Array(1024);
  private at = 0;

  bytes(): Uint8Array {
    return this.buffer.slice(0, this.at);
  }

  struct({ fields }: ThriftStruct): void {
    let previous = 0;
    for (const [id, value] of [...fields].sort(([a], [b]) => a - b)) {
      const type = typeOf(value);
      const delta = id - previous;
      if (delta <= 15) {
        this.byte((delta << 4) | type);
      } else {
        this.byte(type);
        this.zigzag(BigInt(id));
      }
      previous = id;
      if (value.kind !== "bool") this.value(value);
    }
    this.byte(0);
  }

  private value(value: ThriftValue): void {
    switch (value.kind) {
      case "bool":
        return this.byte(value.value ? TRUE : FALSE);
      case "integer":
        return value.type === BYTE ? this.byte(Number(value.value) & 255) : this.zigzag(value.value);
      case "double":
      case "encoded":
        return this.append(value.bytes);
      case "binary":
        this.varint(BigInt(value.bytes.length));
        return this.append(value.bytes);
      case "list": {
        const size = value.items.length;
        if (size < 15) {
          this.byte((size << 4) | value.type);
        } else {
          this.byte(0xf0 | value.type);
          this.varint(BigInt(size));
        }
        for (const item of value.items) this.value(item);
        return;
      }
      case "struct":
        return this.struct(value);
    }
  }

  private byte(byte: number): void {
    this.reserve(1);
    this.buffer[this.at++] = byte;
  }

  private append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.buffer.set(bytes, this.at);
    this.at += bytes.length;
  }

  private reserve(length: number): void {
    if (this.at + length <= this.buffer.length) return;
    const grown = new Uint8Array(Math.max(this.buffer.length * 2, this.at + length));
    grown.set(this.buffer);
    this.buffer = grown;
  }

  private zigzag(value: bigint): void {
    this.varint(BigInt.asUintN(64, (value << 1n) ^ (value >> 63n)));
  }

  private varint(value: bigint): void {
    let rest = value;
    while (rest > 127n) {
      this.byte(Number(rest & 127n) | 128);
      rest >>= 7n;
    }
    this.byte(Number(rest));
  }
}

function typeOf(value: ThriftValue): number {
  switch (value.kind) {
    case "bool":
      return value.value ? TRUE : FALSE;
    case "integer":
      return value.type;
    case "double":
      return DOUBLE;
    case "binary":
      return BINARY;
    case "list":
      return LIST;
    case "struct":
    case "encoded":
      return STRUCT;
  }
}
