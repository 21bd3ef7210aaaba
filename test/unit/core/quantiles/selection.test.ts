import { describe, expect, it } from "vitest";
import { select } from "../../../../src/core/stats/quantiles/selection.js";
import { seeded } from "../../../support/histogram-simulation.js";

const SIZES = [0, 1, 2, 23, 24, 25, 60, 500];

describe("select", () => {
  it.each(SIZES)("puts the values of the ranks of %i values where sorting puts them", (size) => {
    const random = seeded(size + 1);
    const shapes = [
      () => random(),
      () => Math.floor(5 * random()),
      () => 1,
      (i: number) => i,
      (i: number) => -i,
      (i: number) => Math.abs(i - size / 2),
    ];
    for (const value of shapes) {
      for (let asked = 0; asked <= Math.min(size, 6); asked++) {
        const given = Float64Array.from({ length: size }, (_, i) => value(i));
        const some = Array.from({ length: asked }, () => Math.floor(size * random()));
        const ranks = [...new Set(some)].sort((a, b) => a - b);
        const selected = given.slice();
        select(selected, ranks);
        const sorted = given.slice().sort();
        expect(ranks.map((rank) => selected[rank])).toEqual(ranks.map((rank) => sorted[rank]));
        expect(selected.sort()).toEqual(sorted);
      }
    }
  });
});
