import { describe, expect, it } from "vitest";
import { makeLabels } from "../../../../src/core/model/index.js";
import { lineStyle, PALETTE_SIZE, paletteIndex, percentileLook } from "../../../../webview-ui/charts/line-styles.js";
import { makeColorBook } from "../../../../webview-ui/state/color-book.js";

const a = makeLabels([["engine", "0"]]);
const b = makeLabels([["engine", "1"]]);

describe("colours of series", () => {
  it("keeps a series' place whatever is drawn in between", () => {
    const book = makeColorBook();
    const first = book.slot("http://h/metrics", a);
    expect(book.slot("http://h/metrics", b)).not.toBe(first);
    expect(book.slot("http://other/metrics", a)).not.toBe(first);
    expect(book.slot("http://h/metrics", makeLabels([["engine", "0"]]))).toBe(first);
  });

  it("keeps an endpoint's place between charts that show it whole and those that show its series", () => {
    const book = makeColorBook();
    const whole = book.slotOf("http://h/metrics");
    expect(book.slotOf("http://other/metrics")).not.toBe(whole);
    expect(book.slot("http://h/metrics", a)).toBe(whole);
    expect(book.slot("http://h/metrics", b)).not.toBe(whole);
    expect(book.slotOf("http://h/metrics")).toBe(whole);
    const anew = makeColorBook(book.keys());
    expect(anew.slotOf("http://other/metrics")).toBe(book.slotOf("http://other/metrics"));
  });

  it("gives the same places after the view was created anew, in another order of drawing", () => {
    const before = makeColorBook();
    const slots = [before.slot("u", a), before.slot("u", b)];
    const after = makeColorBook(before.keys());
    expect([after.slot("u", b), after.slot("u", a)]).toEqual([slots[1], slots[0]]);
  });

  it("tells series that share a colour apart by their dashes", () => {
    const slots = Array.from(
      { length: 3 * PALETTE_SIZE },
      (_, slot) => `${paletteIndex(slot)} ${lineStyle("value", slot).dash.join()}`,
    );
    expect(new Set(slots).size).toBe(slots.length);
  });

  it("tells a histogram's lines apart without colour", () => {
    const dashes = (["p50", "p90", "p99", "avg"] as const).map((quantity) => lineStyle(quantity, 0).dash.join());
    expect(new Set(dashes).size).toBe(4);
  });
});

it("the percentiles of one histogram have a colour each, the average dashes too", () => {
  const looks = (["p50", "p90", "p99", "avg"] as const).map(percentileLook);
  expect(new Set(looks.map((look) => look?.index)).size).toBe(4);
  expect(looks.map((look) => look?.style.dash.length)).toEqual([0, 0, 0, 2]);
  expect(percentileLook("value")).toBeUndefined();
});
