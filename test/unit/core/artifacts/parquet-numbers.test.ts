import { describe, expect, it } from "vitest";
import { Numbers } from "../../../../src/core/artifacts/parquet/numbers.js";
import { ABSENT_WHOLE, Scratch, type Cells } from "../../../../src/core/store/index.js";
import { seededRandom } from "../../../support/random.js";

/** Values of rows, each with a code of its own. */
function coded(values: readonly number[]) {
  return { codes: Int32Array.from(values, (_, i) => i), values: Float64Array.from(values) };
}

const numbersOf = (cells: Cells) =>
  Array.from(cells, (cell) => (cells instanceof Int32Array && cell === ABSENT_WHOLE ? NaN : cell));

const ODD = [NaN, -0, 0, 0.5, -1, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1, 1e300, 2 ** 53, -Infinity];

describe("numbers gathered from rows", () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])("are those that were given, bit for bit, whole or not (seed %i)", (seed) => {
    const random = seededRandom(seed);
    const below = (n: number) => Math.floor(random() * n);
    for (let round = 0; round < 60; round++) {
      const numbers = new Numbers(below(20));
      const truth: number[] = [];
      // Mostly whole numbers, so that others come at any place.
      const odd = random() < 0.5 ? 0 : 0.1;
      const next = () => (random() < odd ? (ODD[below(ODD.length)] ?? 0) : below(3) * below(1000));
      for (let step = 0; step < 12; step++) {
        if (random() < 0.5) {
          const index = below(truth.length + 4);
          const value = next();
          while (truth.length < index) truth.push(NaN);
          truth[index] = value;
          numbers.set(index, value);
        } else {
          const skipped = below(3);
          const added = Array.from({ length: 1 + below(6) }, next);
          const index = truth.length + skipped;
          truth.push(...Array.from({ length: skipped }, () => NaN), ...added);
          numbers.append(index, coded(added), 0, 1, added.length);
        }
      }
      expect([...numbers.view(truth.length)]).toEqual(truth);
      expect(numbersOf(numbers.cells(truth.length + 2))).toEqual([...truth, NaN, NaN]);
      expect(numbersOf(numbers.preceded(0, truth.length))).toEqual([0, ...truth]);
      expect(numbersOf(numbers.preceded(undefined, truth.length))).toEqual([NaN, ...truth]);
    }
  });
});

describe("memory that is used again", () => {
  it("is one piece from the second time on, and never the same twice at once", () => {
    const scratch = new Scratch();
    const taken = () => [3, 4, 5].map((length) => scratch.take(length));
    scratch.begin();
    taken();
    scratch.begin();
    const [a, b, c] = taken();
    expect(new Set([a?.buffer, b?.buffer, c?.buffer]).size).toBe(1);
    a?.fill(1);
    b?.fill(2);
    c?.fill(3);
    expect([...(a ?? []), ...(b ?? []), ...(c ?? [])]).toEqual([1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3]);
    expect(scratch.take(1).buffer).not.toBe(a?.buffer);
  });
});
