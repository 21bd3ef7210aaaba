/**
 * Writes WebAssembly: each function gives the bytes of an instruction behind those of its operands, so that code reads
 * like an expression. Only what is needed beside this and of `unsnap.ts` is here. Opcodes and layout are those of
 * https://webassembly.github.io/spec/core/binary/
 */
export type Code = readonly (number | Code)[];

type Unary = (a: Code) => Code;
type Binary = (a: Code, b: Code) => Code;

const unary =
  (...opcode: readonly number[]): Unary =>
  (a) => [a, opcode];
const binary =
  (...opcode: readonly number[]): Binary =>
  (a, b) => [a, b, opcode];
/** Alignment is a hint, which is given as none. */
const load =
  (...opcode: readonly number[]) =>
  (address: Code, offset = 0): Code => [address, opcode, 0, unsigned(offset)];
const store =
  (...opcode: readonly number[]) =>
  (address: Code, value: Code): Code => [address, value, opcode, 0, 0];

/** Instructions on vectors have two bytes or more. */
const SIMD = 0xfd;

export const i32 = {
  const: (value: number): Code => [0x41, signed(BigInt(value))],
  load: load(0x28),
  load8: load(0x2d),
  store: store(0x36),
  store8: store(0x3a),
  eqz: unary(0x45),
  eq: binary(0x46),
  ne: binary(0x47),
  ltS: binary(0x48),
  ltU: binary(0x49),
  gtU: binary(0x4b),
  geU: binary(0x4f),
  add: binary(0x6a),
  sub: binary(0x6b),
  mul: binary(0x6c),
  and: binary(0x71),
  or: binary(0x72),
  shl: binary(0x74),
  shrS: binary(0x75),
  shrU: binary(0x76),
  ctz: unary(0x68),
  wrap: unary(0xa7),
};

export const i64 = {
  const: (value: bigint): Code => [0x42, signed(BigInt.asIntN(64, value))],
  load: load(0x29),
  store: store(0x37),
  eqz: unary(0x50),
  eq: binary(0x51),
  ltU: binary(0x54),
  clz: unary(0x79),
  ctz: unary(0x7a),
  add: binary(0x7c),
  sub: binary(0x7d),
  mul: binary(0x7e),
  and: binary(0x83),
  or: binary(0x84),
  xor: binary(0x85),
  shl: binary(0x86),
  shrU: binary(0x88),
  extendS: unary(0xac),
  extendU: unary(0xad),
  reinterpret: unary(0xbd),
};

export const f64 = {
  load: load(0x2b),
  mul: binary(0xa2),
  div: binary(0xa3),
  convertU: unary(0xba),
};

export const v128 = {
  load: load(SIMD, 0),
  store: store(SIMD, 11),
  splat8: unary(SIMD, 15),
  equal8: binary(SIMD, 35),
  and: binary(SIMD, 78),
  or: binary(SIMD, 80),
  xor: binary(SIMD, 81),
  anyTrue: unary(SIMD, 83),
  /** The highest bit of each byte. */
  bitmask8: unary(SIMD, 100),
  extract32: (lane: number, a: Code): Code => [a, SIMD, 27, lane],
  replace32: (lane: number, a: Code, b: Code): Code => [a, b, SIMD, 28, lane],
};

const EMPTY = 0x40;
const END = 0x0b;

/** The place that a branch leads to: a block's end, a loop's begin. */
export interface Target {
  readonly depth: number;
}

const TYPES = { i32: 0x7f, i64: 0x7e, f64: 0x7c, v128: 0x7b } as const;
type Type = keyof typeof TYPES;

export class Local {
  readonly get: Code;
  constructor(private readonly index: number) {
    this.get = [0x20, unsigned(index)];
  }
  set(value: Code): Code {
    return [value, 0x21, unsigned(this.index)];
  }
}

/** One function: its parameters and locals, and the blocks that are open while its body is written. */
export class FunctionWriter {
  private readonly types: Type[] = [];
  private parameters = 0;
  private depth = 0;

  parameter(): Local {
    this.parameters++;
    return this.local("i32");
  }

  local(type: Type): Local {
    this.types.push(type);
    return new Local(this.types.length - 1);
  }

  /** A branch to it leaves it. */
  block(body: (target: Target) => Code): Code {
    return this.nested(0x02, body);
  }

  /** A branch to it begins anew; without one it is left. */
  loop(body: (target: Target) => Code): Code {
    return this.nested(0x03, body);
  }

  when(condition: Code, then: () => Code): Code {
    this.depth++;
    const code = then();
    this.depth--;
    return [condition, 0x04, EMPTY, code, END];
  }

  branch(target: Target): Code {
    return [0x0c, unsigned(this.depth - target.depth)];
  }

  branchIf(condition: Code, target: Target): Code {
    return [condition, 0x0d, unsigned(this.depth - target.depth)];
  }

  /** A module with this one function and one page of memory, exported as "run" and "memory". */
  module(body: Code): Uint8Array<ArrayBuffer> {
    const parameters = this.types.slice(0, this.parameters).map(() => [TYPES.i32]);
    const locals = this.types.slice(this.parameters).map((type) => [1, TYPES[type]]);
    return Uint8Array.from(
      flat([
        [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
        section(1, [[0x60, list(parameters), list([[TYPES.i32]])]]),
        section(3, [[0]]),
        section(5, [[0, 1]]),
        section(7, [
          [name("run"), 0, 0],
          [name("memory"), 2, 0],
        ]),
        section(10, [sized([list(locals), body, END])]),
      ]),
    );
  }

  private nested(opcode: number, body: (target: Target) => Code): Code {
    const code = body({ depth: ++this.depth });
    this.depth--;
    return [opcode, EMPTY, code, END];
  }
}

function section(id: number, entries: readonly Code[]): Code {
  return [id, sized(list(entries))];
}

function sized(code: Code): Code {
  const bytes = flat(code);
  return [unsigned(bytes.length), bytes];
}

function list(entries: readonly Code[]): Code {
  return [unsigned(entries.length), entries];
}

function name(text: string): Code {
  return list(Array.from(text, (character) => [character.charCodeAt(0)]));
}

function flat(code: Code, into: number[] = []): number[] {
  for (const part of code) {
    if (typeof part === "number") into.push(part);
    else flat(part, into);
  }
  return into;
}

/** LEB128. */
function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, unsigned(value >>> 7)];
}

function signed(value: bigint): Code {
  const low = Number(value & 0x7fn);
  const rest = value >> 7n;
  const isLast = rest === (low & 0x40 ? -1n : 0n);
  return isLast ? [low] : [low | 0x80, signed(rest)];
}
