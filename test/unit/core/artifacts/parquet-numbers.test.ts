import { describe, expect, it } from "vitest";
import { narrowed, Numbers } from "../../../../src/core/artifacts/parquet/numbers.js";
import { SeriesSamplesBuilder } from "../../../../src/core/artifacts/parquet/series-samples.js";
import { makeLabels } from "../../../../src/core/model/index.js";
import { ABSENT_WHOLE, Scratch, type Cells } from "../../../../src/core/store/index.js";
import { seededRandom } from "../../../support/random.js";

/** Values of rows, each with a code of its own. */
function coded(values: readonly number[]) {
  const wholes = new Int32Array(values.length);
  const all = Float64Array.from(values);
  return {
    codes: Int32Array.from(values, (_, i) => i),
    values: all,
    wholes: narrowed(all, wholes) ? wholes : undefined,
  };
}

const numbersOf = (cells: Cells) =>
  Array.from(cells, (cell) => (cells instanceof Int32Array && cell === ABSENT_WHOLE ? NaN : cell));

const ODD = [NaN, -0, 0, 0.5, -1, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1, 1e300, 2 ** 53, -Infinity];

describe("numbers gathered from rows", () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])("are those that were given, bit for bit, whole or not (seed %i)", (seed) => {
    const random = seededRandom(seed);
    const below = (n: number) => Math.floor(random() * n);
    for (let round = 0; round < 60; round++) {
      const numbers = new Numbers(below(20), random() < 0.2 ? new Float64Array(1 + below(9)).fill(7) : undefined);
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

  it("lie where equal ones do until one of both goes on", () => {
    const [first, second, other] = [new Numbers(3), new Numbers(3), new Numbers(3)];
    for (const numbers of [first, second]) numbers.append(0, coded([0.5, 1.5, 2.5]), 0, 1, 3);
    other.append(0, coded([0.5, 1.5, 3.5]), 0, 1, 3);
    expect(other.shareWith(first)).toBeUndefined();
    const spare = second.shareWith(first);
    expect(spare).toBeInstanceOf(Float64Array);
    first.set(0, 9);
    second.append(3, coded([4.5]), 0, 1, 1);
    expect([...second.preceded(0, 4)]).toEqual([0, 0.5, 1.5, 2.5, 4.5]);
    expect([...first.view(3)]).toEqual([9, 1.5, 2.5]);
    const third = new Numbers(3, spare);
    third.append(1, coded([6.5]), 0, 1, 1);
    expect([...third.view(3)]).toEqual([NaN, 6.5, NaN]);
    expect([...second.view(4)]).toEqual([0.5, 1.5, 2.5, 4.5]);
  });
});

describe("the times of a series", () => {
  const builder = () =>
    new SeriesSamplesBuilder({
      endpointUrl: "http://a",
      family: { name: "up", type: "gauge", description: "" },
      labels: makeLabels([]),
    });

  it("stay its own when it goes on after others had the same", () => {
    const [before, after] = [builder(), builder()];
    const times = [1.5e9, 2.5e9, 3.5e9];
    for (const one of [before, after]) one.addScalars(coded(times), coded([1, 2, 3]), 0, 3);
    expect(after.shareTimes(before)).toBeDefined();
    before.addScalars(coded([4.5e9]), coded([4]), 0, 1);
    after.addScalars(coded([5.5e9]), coded([5]), 0, 1);
    expect([...before.times.view(before.length)]).toEqual([...times, 4.5e9]);
    expect([...after.times.view(after.length)]).toEqual([...times, 5.5e9]);
    expect([...after.values.view(after.length)]).toEqual([1, 2, 3, 5]);
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
