const PLUS = 0x2b;
const MINUS = 0x2d;
const DOT = 0x2e;

/** Powers of ten that a double holds exactly. */
const POWERS = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));
const LONGEST_WORD = 9;

/**
 * Reads numbers out of bytes: decimals with or without fraction and exponent, and NaN, Inf and Infinity in any case.
 * Rounded exactly as `Number()` does. A mantissa below 2^53 times or over a power of ten up to 10^22 needs one rounding
 * (Clinger 1990, "How to read floating point numbers accurately"); all else goes through `Number()` itself.
 */
export class NumberReader {
  /** After the number just read; where it was to begin, if there is none. */
  end = 0;

  /** NaN without a number. The bytes must go on behind it, with something that is not a part of a number. */
  read(view: DataView, start: number): number {
    let at = start;
    let c = view.getUint8(at);
    const negative = c === MINUS;
    if (negative || c === PLUS) c = view.getUint8(++at);
    let mantissa = 0;
    const integerStart = at;
    while (c >= 0x30 && c <= 0x39) {
      mantissa = mantissa * 10 + (c - 0x30);
      c = view.getUint8(++at);
    }
    let digits = at - integerStart;
    let exponent = 0;
    if (c === DOT) {
      const fractionStart = at + 1;
      c = view.getUint8(++at);
      while (c >= 0x30 && c <= 0x39) {
        mantissa = mantissa * 10 + (c - 0x30);
        c = view.getUint8(++at);
      }
      exponent = fractionStart - at;
      digits -= exponent;
    }
    if (digits === 0) return this.readWord(view, start, integerStart, negative);
    if ((c | 0x20) === 0x65) {
      let exponentAt = at + 1;
      c = view.getUint8(exponentAt);
      const down = c === MINUS;
      if (down || c === PLUS) c = view.getUint8(++exponentAt);
      const exponentStart = exponentAt;
      let written = 0;
      while (c >= 0x30 && c <= 0x39) {
        // Beyond this the value is 0 or infinite whatever the mantissa's digits: `Number()` decides.
        if (written < 100_000) written = written * 10 + (c - 0x30);
        c = view.getUint8(++exponentAt);
      }
      if (exponentAt === exponentStart) {
        this.end = start;
        return NaN;
      }
      exponent += down ? -written : written;
      at = exponentAt;
    }
    this.end = at;
    if (mantissa < 9007199254740992 && exponent >= -22 && exponent <= 22) {
      const value = exponent < 0 ? mantissa / (POWERS[-exponent] ?? NaN) : mantissa * (POWERS[exponent] ?? NaN);
      return negative ? -value : value;
    }
    return Number(asciiText(view, start, at));
  }

  private readWord(view: DataView, start: number, wordStart: number, negative: boolean): number {
    let at = wordStart;
    while (at - wordStart < LONGEST_WORD && isLetter(view.getUint8(at))) at++;
    const word = asciiText(view, wordStart, at).toLowerCase();
    this.end = at;
    if (word === "inf" || word === "infinity") return negative ? -Infinity : Infinity;
    if (word !== "nan" || wordStart !== start) this.end = start;
    return NaN;
  }
}

function isLetter(c: number): boolean {
  return (c | 0x20) >= 0x61 && (c | 0x20) <= 0x7a;
}

function asciiText(view: DataView, start: number, end: number): string {
  let text = "";
  for (let at = start; at < end; at++) text += String.fromCharCode(view.getUint8(at));
  return text;
}
