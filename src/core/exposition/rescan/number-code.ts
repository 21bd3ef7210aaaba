import { NEWLINE } from "../characters.js";
import { f64, i32, i64, type Code, type FunctionWriter, type Local, type Target } from "./assembler.js";

const PLUS = 0x2b;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const LETTER_E = 0x65;
/** ".0" and a newline, the first in the lowest byte. */
const DOT_ZERO_NEWLINE = 0x0a302e;
/** So many fit into 64 bits. */
const MAX_DIGITS = 19;
const MAX_EXPONENT_DIGITS = 3;
/** Powers of ten beyond these are left to others. */
const MAX_EXPONENT = 40;

/** A double holds every integer below this, and every power of ten up to 10^22. */
const EXACT_INTEGERS = 1n << 53n;
const EXACT_POWER = 22;

const TENS = 8;
const DOUBLES = 8 * TENS;
const POWERS = DOUBLES + 8 * (EXACT_POWER + 1);
export const NUMBER_TABLES_BYTES = POWERS + 8 * (2 * MAX_EXPONENT + 1);

/** What the code reads beside the text: 10^0 to 10^7, 10^0 to 10^22 as doubles, the top bits of 10^-40 to 10^40. */
export function writeNumberTables(view: DataView, at: number): void {
  for (let i = 0; i < TENS; i++) view.setBigUint64(at + 8 * i, 10n ** BigInt(i), true);
  for (let i = 0; i <= EXACT_POWER; i++) view.setFloat64(at + DOUBLES + 8 * i, 10 ** i, true);
  for (let i = -MAX_EXPONENT; i <= MAX_EXPONENT; i++)
    view.setBigUint64(at + POWERS + 8 * (i + MAX_EXPONENT), highestBits(i), true);
}

/** The highest 64 bits of a power of ten; those that follow are cut off. */
function highestBits(exponent: number): bigint {
  const power = 10n ** BigInt(Math.abs(exponent));
  const bits = BigInt(power.toString(2).length);
  if (exponent < 0) return (1n << (63n + bits)) / power;
  return bits <= 64n ? power << (64n - bits) : power >> (bits - 64n);
}

/**
 * Code that reads a decimal number and the newline behind it, rounded exactly as `Number()` does. Eight digits a step;
 * where a power of ten has to be rounded, too, as Eisel and Lemire do (Lemire 2021, "Number parsing at a gigabyte per
 * second"), but for the second multiplication that few numbers need.
 * @param at where it begins; afterwards behind the newline
 * @param bits of a double: the number
 * @param tables where `writeNumberTables` has written
 * @param other where it branches to with any other text, and with a number that it cannot round
 */
export function numberCode(
  writer: FunctionWriter,
  { at, bits, tables, other }: { at: Local; bits: Local; tables: number; other: Target },
): Code {
  const mantissa = writer.local("i64");
  const text = writer.local("i64");
  const digitBits = writer.local("i64");
  const negative = writer.local("i32");
  const start = writer.local("i32");
  const digits = writer.local("i32");
  const exponent = writer.local("i32");
  const next = writer.local("i32");
  const written = writer.local("i32");

  const forward = (bytes: Code): Code => at.set(i32.add(at.get, bytes));
  const outside = (value: Code, first: number, count: number): Code =>
    i32.geU(i32.sub(value, i32.const(first)), i32.const(count));

  /** The number whose digits are the bytes of `text`, the first one in the lowest. */
  const eightDigits = (): Code => {
    const pairs = [text.set(i64.add(i64.mul(text.get, i64.const(10n)), i64.shrU(text.get, i64.const(8n)))), text.get];
    const both = (high: bigint, low: bigint): Code => i64.const((high << 32n) | low);
    const everyOther = (code: Code): Code => i64.and(code, both(0xffn, 0xffn));
    // What the first and third pair count for, then the second and fourth: their sum is in the upper half.
    const sum = i64.add(
      i64.mul(everyOther(pairs), both(1_000_000n, 100n)),
      i64.mul(everyOther(i64.shrU(text.get, i64.const(16n))), both(10_000n, 1n)),
    );
    return i64.shrU(sum, i64.const(32n));
  };

  /** Puts the digits from `at` on behind those of the mantissa. */
  const readDigits = (): Code =>
    writer.loop((again) => {
      const noDigit = i64.and(
        i64.or(i64.add(text.get, i64.const(0x7676767676767676n)), text.get),
        i64.const(0x8080808080808080n),
      );
      return [
        text.set(i64.xor(i64.load(at.get), i64.const(0x3030303030303030n))),
        // Eight times as many as there are; 64 for eight or more.
        digitBits.set(i64.and(i64.ctz(noDigit), i64.const(0x78n))),
        writer.when(i64.eq(digitBits.get, i64.const(64n)), () => [
          mantissa.set(i64.add(i64.mul(mantissa.get, i64.const(100_000_000n)), eightDigits())),
          forward(i32.const(8)),
          writer.branch(again),
        ]),
        // Zeros before them, and nothing behind. In two steps: a shift by 64 is none.
        text.set(i64.shl(i64.shl(text.get, i64.sub(i64.const(56n), digitBits.get)), i64.const(8n))),
        mantissa.set(i64.add(i64.mul(mantissa.get, i64.load(i32.wrap(digitBits.get), tables)), eightDigits())),
        forward(i32.shrU(i32.wrap(digitBits.get), i32.const(3))),
      ];
    });

  const integer = (length: number, done: Target): Code => [
    bits.set(i64.reinterpret(f64.convertU(mantissa.get))),
    forward(i32.const(length)),
    writer.branch(done),
  ];

  const readExponent = (): Code => [
    forward(i32.const(1)),
    next.set(i32.load8(at.get)),
    forward(i32.or(i32.eq(next.get, i32.const(MINUS)), i32.eq(next.get, i32.const(PLUS)))),
    start.set(at.get),
    written.set(i32.const(0)),
    writer.loop((again) => [
      writer.when(i32.ltU(i32.sub(i32.load8(at.get), i32.const(ZERO)), i32.const(10)), () => [
        written.set(i32.add(i32.mul(written.get, i32.const(10)), i32.sub(i32.load8(at.get), i32.const(ZERO)))),
        forward(i32.const(1)),
        writer.branch(again),
      ]),
    ]),
    writer.branchIf(outside(i32.sub(at.get, start.get), 1, MAX_EXPONENT_DIGITS), other),
    writer.when(i32.eq(next.get, i32.const(MINUS)), () => [written.set(i32.sub(i32.const(0), written.get))]),
    exponent.set(i32.add(exponent.get, written.get)),
  ];

  const low = writer.local("i64");
  const high = writer.local("i64");
  const zeros = writer.local("i64");
  const power = writer.local("i64");
  const middle = writer.local("i64");
  const lower = (a: Code) => i64.and(a, i64.const(0xffffffffn));
  const upper = (a: Code) => i64.shrU(a, i64.const(32n));

  /** `low` and `high` become the 128 bits of `mantissa` times `power`. */
  const multiply = (): Code => [
    low.set(i64.mul(lower(mantissa.get), lower(power.get))),
    middle.set(i64.add(i64.mul(upper(mantissa.get), lower(power.get)), upper(low.get))),
    high.set(i64.add(i64.mul(upper(mantissa.get), upper(power.get)), upper(middle.get))),
    middle.set(i64.add(i64.mul(lower(mantissa.get), upper(power.get)), lower(middle.get))),
    high.set(i64.add(high.get, upper(middle.get))),
    low.set(i64.mul(mantissa.get, power.get)),
  ];

  /** One rounding (Clinger 1990, "How to read floating point numbers accurately"). */
  const timesExactPower = (done: Target): Code => {
    const whole = f64.convertU(mantissa.get);
    const tenTo = (power: Code) => f64.load(i32.shl(power, i32.const(3)), tables + DOUBLES);
    return writer.when(
      i32.and(
        i64.ltU(mantissa.get, i64.const(EXACT_INTEGERS)),
        i32.ltU(i32.add(exponent.get, i32.const(EXACT_POWER)), i32.const(2 * EXACT_POWER + 1)),
      ),
      () => [
        writer.when(i32.ltS(exponent.get, i32.const(0)), () => [
          bits.set(i64.reinterpret(f64.div(whole, tenTo(i32.sub(i32.const(0), exponent.get))))),
          writer.branch(done),
        ]),
        bits.set(i64.reinterpret(f64.mul(whole, tenTo(exponent.get)))),
        writer.branch(done),
      ],
    );
  };

  const timesPower = (): Code => {
    const dropped = i64.and(high.get, i64.const(0x1ffn));
    const table = i32.shl(i32.add(exponent.get, i32.const(MAX_EXPONENT)), i32.const(3));
    return [
      zeros.set(i64.clz(mantissa.get)),
      mantissa.set(i64.shl(mantissa.get, zeros.get)),
      power.set(i64.load(table, tables + POWERS)),
      multiply(),
      // What was cut off the power may change the bits that are kept.
      writer.branchIf(
        i32.and(i64.eq(dropped, i64.const(0x1ffn)), i64.ltU(i64.add(low.get, mantissa.get), mantissa.get)),
        other,
      ),
      // From here on `middle` is 1 if the highest bit of the product is set, and `power` its 54 highest bits.
      middle.set(i64.shrU(high.get, i64.const(63n))),
      power.set(i64.shrU(high.get, i64.add(middle.get, i64.const(9n)))),
      // Halfway between two doubles, perhaps exactly.
      writer.branchIf(
        i32.and(i64.eqz(i64.or(low.get, dropped)), i64.eq(i64.and(power.get, i64.const(3n)), i64.const(1n))),
        other,
      ),
      power.set(i64.shrU(i64.add(power.get, i64.and(power.get, i64.const(1n))), i64.const(1n))),
      // The highest bit of the mantissa adds 1 to the exponent, and 2 if rounding has made it longer.
      bits.set(
        i64.add(
          i64.shl(
            i64.sub(
              i64.add(
                i64.extendS(
                  i32.add(i32.shrS(i32.mul(exponent.get, i32.const(217706)), i32.const(16)), i32.const(1085)),
                ),
                middle.get,
              ),
              zeros.get,
            ),
            i64.const(52n),
          ),
          power.get,
        ),
      ),
    ];
  };

  return [
    negative.set(i32.eq(i32.load8(at.get), i32.const(MINUS))),
    forward(negative.get),
    start.set(at.get),
    mantissa.set(i64.const(0n)),
    writer.block((done) => [
      readDigits(),
      digits.set(i32.sub(at.get, start.get)),
      next.set(i32.load(at.get)),
      writer.when(i32.ltU(i32.sub(digits.get, i32.const(1)), i32.const(MAX_DIGITS)), () => [
        writer.when(i32.eq(i32.and(next.get, i32.const(0xffffff)), i32.const(DOT_ZERO_NEWLINE)), () =>
          integer(3, done),
        ),
        writer.when(i32.eq(i32.and(next.get, i32.const(0xff)), i32.const(NEWLINE)), () => integer(1, done)),
      ]),
      exponent.set(i32.const(0)),
      writer.when(i32.eq(i32.load8(at.get), i32.const(DOT)), () => [
        forward(i32.const(1)),
        start.set(at.get),
        readDigits(),
        exponent.set(i32.sub(start.get, at.get)),
        digits.set(i32.sub(digits.get, exponent.get)),
      ]),
      writer.branchIf(outside(digits.get, 1, MAX_DIGITS), other),
      writer.when(i32.eq(i32.or(i32.load8(at.get), i32.const(0x20)), i32.const(LETTER_E)), readExponent),
      writer.branchIf(i32.ne(i32.load8(at.get), i32.const(NEWLINE)), other),
      forward(i32.const(1)),
      timesExactPower(done),
      bits.set(i64.const(0n)),
      writer.branchIf(i64.eqz(mantissa.get), done),
      writer.branchIf(outside(exponent.get, -MAX_EXPONENT, 2 * MAX_EXPONENT + 1), other),
      timesPower(),
    ]),
    bits.set(i64.or(bits.get, i64.shl(i64.extendU(negative.get), i64.const(63n)))),
  ];
}
