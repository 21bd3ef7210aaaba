import { NEWLINE } from "../characters.js";
import { KEY_LENGTH, LENGTH, START, STRIDE } from "../lines.js";
import { FunctionWriter, i32, i64, v128, type Code } from "./assembler.js";
import { NUMBER_TABLES_BYTES, numberCode, writeNumberTables } from "./number-code.js";

/** Bytes of a vector. */
const VECTOR = 16;
const INT = 4;
const DOUBLE = 8;
/** The fields of a line, which fill a vector. */
const RECORD = STRIDE * INT;

/** For each count of bytes below 16 a vector that has as many set. */
const MASKS = 0;
const NUMBER_TABLES = VECTOR * VECTOR;
/** Memory before this is the code's own, once `writeTables` has written it. */
export const TABLES_END = NUMBER_TABLES + Math.ceil(NUMBER_TABLES_BYTES / VECTOR) * VECTOR;

/** So many integers stand before the numbers of lines whose values were not read: their count. */
export const ODD_COUNT = 1;

/** "NaN" and a newline, the first in the lowest byte. */
const NAN_NEWLINE = 0x0a4e614e;
/** What lines without a value have for one. */
const NAN_BITS = 0x7ff8000000000000n;

/**
 * Reads the lines of a scrape that are those of the last one but for their values, and stops at the first other line.
 * @param lastFields of the line that is expected at `at`; START is counted from `lastBytes`
 * @param count lines are expected at most
 * @param end of the text that begins at `nextBytes`
 * @param nextFields where the fields of lines are written; their START counts from `nextBytes`
 * @param odd where those lines are listed that have a value, or what may be one, that was not read
 * @returns how many lines it has read
 */
export type Scan = (
  lastBytes: number,
  lastFields: number,
  count: number,
  nextBytes: number,
  at: number,
  end: number,
  nextFields: number,
  values: number,
  odd: number,
) => number;

export function writeTables(view: DataView): void {
  for (let i = 0; i < VECTOR * VECTOR; i++) view.setUint8(MASKS + i, i % VECTOR < Math.floor(i / VECTOR) ? 0xff : 0);
  writeNumberTables(view, NUMBER_TABLES);
}

/** A module that has a `Scan`; all but its count are addresses in the memory that it brings. */
export function scanModule(): Uint8Array<ArrayBuffer> {
  const writer = new FunctionWriter();
  const lastBytes = writer.parameter();
  const lastFields = writer.parameter();
  const count = writer.parameter();
  const nextBytes = writer.parameter();
  const at = writer.parameter();
  const end = writer.parameter();
  const nextFields = writer.parameter();
  const values = writer.parameter();
  const odd = writer.parameter();

  const line = writer.local("i32");
  const record = writer.local("v128");
  const keyLength = writer.local("i32");
  const expected = writer.local("i32");
  const whole = writer.local("i32");
  const offset = writer.local("i32");
  const differs = writer.local("v128");
  const lineStart = writer.local("i32");
  const valueStart = writer.local("i32");
  const bits = writer.local("i64");
  const oddEnd = writer.local("i32");
  const found = writer.local("i32");

  const differenceAt = (place: Code): Code =>
    v128.xor(v128.load(i32.add(expected.get, place)), v128.load(i32.add(at.get, place)));

  const compareKeys = (): Code => [
    whole.set(i32.and(keyLength.get, i32.const(-VECTOR))),
    differs.set(
      v128.and(
        differenceAt(whole.get),
        v128.load(i32.shl(i32.and(keyLength.get, i32.const(VECTOR - 1)), i32.const(4)), MASKS),
      ),
    ),
    offset.set(i32.const(0)),
    writer.block((compared) => [
      writer.loop((again) => [
        writer.branchIf(i32.eq(offset.get, whole.get), compared),
        differs.set(v128.or(differs.get, differenceAt(offset.get))),
        offset.set(i32.add(offset.get, i32.const(VECTOR))),
        writer.branch(again),
      ]),
    ]),
  ];

  const within = (value: Code, first: string, last: string): Code =>
    i32.ltU(i32.sub(value, i32.const(first.charCodeAt(0))), i32.const(last.charCodeAt(0) - first.charCodeAt(0) + 1));

  const body = [
    oddEnd.set(i32.add(odd.get, i32.const(ODD_COUNT * INT))),
    writer.block((done) => [
      writer.loop((nextLine) => [
        writer.branchIf(i32.eq(line.get, count.get), done),
        record.set(v128.load(lastFields.get)),
        keyLength.set(v128.extract32(KEY_LENGTH, record.get)),
        valueStart.set(i32.add(at.get, keyLength.get)),
        writer.branchIf(i32.gtU(valueStart.get, end.get), done),
        expected.set(i32.add(lastBytes.get, v128.extract32(START, record.get))),
        compareKeys(),
        writer.branchIf(v128.anyTrue(differs.get), done),
        lineStart.set(at.get),
        at.set(valueStart.get),
        bits.set(i64.const(NAN_BITS)),
        writer.when(i32.ne(keyLength.get, v128.extract32(LENGTH, record.get)), () => [
          writer.block((isRead) => [
            writer.block((other) => [
              numberCode(writer, { at, bits, tables: NUMBER_TABLES, other }),
              writer.branch(isRead),
            ]),
            at.set(i32.add(valueStart.get, i32.const(INT))),
            writer.branchIf(i32.eq(i32.load(valueStart.get), i32.const(NAN_NEWLINE)), isRead),
            // What else begins like this is a value, or an error that the tokenizer finds.
            found.set(i32.load8(valueStart.get)),
            writer.branchIf(
              i32.eqz(i32.or(within(found.get, "+", "9"), within(i32.or(found.get, i32.const(0x20)), "a", "z"))),
              done,
            ),
            i32.store(oddEnd.get, line.get),
            oddEnd.set(i32.add(oddEnd.get, i32.const(INT))),
            at.set(valueStart.get),
            writer.loop((again) => [
              found.set(v128.bitmask8(v128.equal8(v128.load(at.get), v128.splat8(i32.const(NEWLINE))))),
              writer.when(i32.eqz(found.get), () => [at.set(i32.add(at.get, i32.const(VECTOR))), writer.branch(again)]),
            ]),
            at.set(i32.add(i32.add(at.get, i32.ctz(found.get)), i32.const(1))),
          ]),
        ]),
        v128.store(
          nextFields.get,
          v128.replace32(
            START,
            v128.replace32(LENGTH, record.get, i32.sub(at.get, lineStart.get)),
            i32.sub(lineStart.get, nextBytes.get),
          ),
        ),
        i64.store(values.get, bits.get),
        line.set(i32.add(line.get, i32.const(1))),
        lastFields.set(i32.add(lastFields.get, i32.const(RECORD))),
        nextFields.set(i32.add(nextFields.get, i32.const(RECORD))),
        values.set(i32.add(values.get, i32.const(DOUBLE))),
        writer.branch(nextLine),
      ]),
    ]),
    i32.store(odd.get, i32.sub(i32.shrU(i32.sub(oddEnd.get, odd.get), i32.const(2)), i32.const(ODD_COUNT))),
    line.get,
  ];
  return writer.module(body);
}
