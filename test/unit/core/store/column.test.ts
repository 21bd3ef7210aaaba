import { describe, expect, it } from "vitest";
import { ABSENT, CHUNK, GAP } from "../../../../src/core/store/chunk.js";
import { Column } from "../../../../src/core/store/column.js";
import { Slabs } from "../../../../src/core/store/memory.js";
import { seededRandom } from "../../../support/random.js";

function readAll(column: Column, rows: number): number[] {
  const out = new Float64Array(rows);
  column.read(0, rows, out);
  return [...out];
}

const set = (column: Column, row: number, value: number) => column.write(row, Float64Array.of(value), 0, 1, 1);

describe("Column", () => {
  const shapes: Record<string, (random: () => number, i: number) => number> = {
    constant: () => 42.5,
    "small integers": (_, i) => 1_000_000 + (i % 200),
    "wide integers": (random) => Math.floor(random() * 1e6),
    "integers beyond 32 bits": (random) => Math.floor(random() * 1e13),
    "a counter that rises a little": (random, i) => 1e9 + 20 * i + Math.floor(random() * 8),
    "a level that falls, too": (random) => Math.floor(random() * 70) - 35,
    "a level of 17 bits": (random) => Math.floor(random() * 2 ** 17),
    "steps of 20 bits": (random, i) => 2 ** 21 * i + Math.floor(random() * 2 ** 20) - 2 ** 30,
    "all that four bytes hold": (random, i) => (i % 2 === 0 ? -(2 ** 31) : 2 ** 31 - 1) + Math.floor(random() * 0.6),
    "a counter that rises steadily": (_, i) => 7 * i - 3000,
    "integers of 31 bits with gaps": (random) => (random() < 0.1 ? GAP : Math.floor(random() * 2 ** 31)),
    "large steps between large integers": (_, i) => (i % 2 === 0 ? 1 : -1) * (2 ** 52 + (i % 7)),
    "nothing but gaps and absences": (random) => (random() < 0.5 ? GAP : ABSENT),
    doubles: (random) => random() * 1e-3,
    "decimals that rise": (_, i) => i * 0.25 - 100,
    "decimals of more and more places": (_, i) => Math.round(i * 1e5 + i) / 10 ** Math.min(8, i >> 8),
    "decimals with gaps, among others in the end": (random, i) =>
      random() < 0.1 ? GAP : i > 1900 ? random() : Math.round(random() * 1e4) / 1e3,
    "a value that changes late": (_, i) => (i < 700 ? 5 : 5 + i / 100),
    "a negative zero among decimals": (_, i) => (i === 300 ? -0 : i / 8),
    "whole numbers of the largest kind": (_, i) => 2 ** 60 + 256 * (i % 90),
    "whole numbers that outgrow their codes": (_, i) => i ** 3 * 7,
    "whole numbers that seldom jump far": (_, i) => (i >> 7) * 1e8,
    "doubles that repeat": (_, i) => (i >> 2) / 3,
    "doubles that repeat with gaps": (_, i) => (i % 9 < 3 ? GAP : i % 9 < 5 ? ABSENT : (i >> 3) / 7),
    "the least numbers of four bytes": (_, i) => (i % 3) - 2 ** 31,
    "negative zero": (_, i) => (i % 2 === 0 ? -0 : 0),
    "integers with gaps and absences": (random, i) => (random() < 0.1 ? GAP : random() < 0.1 ? ABSENT : i),
    "doubles with gaps and absences": (random, i) => (random() < 0.1 ? GAP : random() < 0.1 ? ABSENT : i / 3),
  };

  for (const [name, shape] of Object.entries(shapes)) {
    it(`gives back ${name} bit for bit over several sealed chunks`, () => {
      const random = seededRandom(7);
      const values = Array.from({ length: 2000 }, (_, i) => shape(random, i));
      const column = new Column();
      values.forEach((value, row) => set(column, row, value));
      expect(readAll(column, 2000)).toEqual(values);
      const part = new Float64Array(700);
      column.read(450, 1150, part);
      expect([...part]).toEqual(values.slice(450, 1150));
      const some = [0, 37, 38, 511, 512, 700, 1999];
      expect(some.map((row) => column.get(row))).toEqual(some.map((row) => values[row]));
      expect([...column.pick(Int32Array.from(some))]).toEqual(some.map((row) => values[row]));
    });
  }

  it("leaves rows without a value absent, across chunks and at the end", () => {
    const column = new Column();
    set(column, 3, 1);
    set(column, 1700, 2);
    const all = readAll(column, 1800);
    expect(all[3]).toBe(1);
    expect(all[1700]).toBe(2);
    expect(all.filter((cell) => !Number.isNaN(cell))).toHaveLength(2);
  });

  it("holds nothing of the rows before its first, however late it comes", () => {
    const column = new Column();
    set(column, 1_000_300, 7);
    expect(column.bytes).toBeLessThanOrEqual(64);
    expect(column.length).toBe(1_000_301);
    expect([0, 999_999, 1_000_299, 1_000_300, 1_000_301].map((row) => column.get(row))).toEqual([
      NaN,
      NaN,
      NaN,
      7,
      NaN,
    ]);
    const around = new Float64Array(1000);
    column.read(999_800, 1_000_800, around);
    expect([...around.keys()].filter((i) => !Number.isNaN(around[i]))).toEqual([500]);
    column.read(10, 1010, around);
    expect(around.every(Number.isNaN)).toBe(true);
    // What is not sealed may be written again, from an earlier row on, too.
    column.write(1_000_298, Float64Array.of(5, 6), 0, 1, 2);
    set(column, 1_002_000, 8);
    column.read(999_800, 1_000_800, around);
    expect([...around.subarray(497, 502)]).toEqual([NaN, 5, 6, 7, NaN]);
    expect(column.get(1_002_000)).toBe(8);
    expect([0, 1_000_297, 1_001_500].map((row) => column.get(row))).toEqual([NaN, NaN, NaN]);
  });

  it("holds a value that never changes in no memory, however long it is the newest chunk", () => {
    const column = new Column();
    for (let row = 0; row < 400; row++) set(column, row, 0.1);
    expect(column.bytes).toBe(0);
    set(column, 200, 7);
    expect([199, 200, 201, 399, 400].map((row) => column.get(row))).toEqual([0.1, 7, 0.1, 0.1, NaN]);
  });

  it("takes the last value written to a row", () => {
    const column = new Column();
    set(column, 0, 1);
    set(column, 0, 2);
    expect(readAll(column, 1)).toEqual([2]);
  });

  it("reads what is sealed at the very end of its memory", () => {
    const slabs = new Slabs();
    const random = seededRandom(3);
    const columns = Array.from({ length: 700 }, (_, c) => {
      const cells = Float64Array.from({ length: CHUNK }, () => Math.floor(random() * 2 ** (1 + (c % 25))));
      const column = new Column(slabs);
      column.write(0, cells, 0, 1, CHUNK);
      return { cells, column };
    });
    for (const { cells, column } of columns) expect(readAll(column, CHUNK)).toEqual([...cells]);
  });

  it("holds repeating samples, small integers and counters in less than a byte each", () => {
    const bytesOf = (value: (row: number) => number) => {
      const column = new Column();
      for (let row = 0; row < 51_200; row++) set(column, row, value(row));
      return column.bytes / 51_200;
    };
    expect(bytesOf((row) => (row % 5000 < 2500 ? 7 : row % 1000))).toBeLessThan(1);
    expect(bytesOf((row) => row % 60)).toBeLessThan(0.9);
    expect(bytesOf((row) => 40 * row + (row % 13))).toBeLessThan(0.9);
    expect(bytesOf((row) => (40 * row + (row % 13)) / 1000)).toBeLessThan(0.9);
    expect(bytesOf((row) => (row >> 7) * 1e8)).toBeLessThan(0.5);
  });
});
