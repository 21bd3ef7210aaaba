import { describe, expect, it } from "vitest";
import { Scratch } from "../../../../src/core/store/index.js";

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
