import { expect, it } from "vitest";
import { DrawTurns } from "../../../../webview-ui/charts/draw-turns.js";

/** A page whose clock is moved by drawing alone. */
function page() {
  let time = 0;
  const callbacks: (() => void)[] = [];
  const drawn: string[] = [];
  const turns = new DrawTurns({ now: () => time, request: (callback) => callbacks.push(callback) });
  const charts = new Map<string, object>();
  const chart = (name: string) => charts.get(name) ?? charts.set(name, {}).get(name) ?? {};
  return {
    drawn,
    want: (name: string, text = name, takes = 2) =>
      turns.draw(chart(name), () => {
        time += takes;
        drawn.push(text);
      }),
    fail: (name: string) =>
      turns.draw(chart(name), () => {
        throw new Error(name);
      }),
    forget: (name: string) => turns.forget(chart(name)),
    /** @returns how many callbacks were run */
    frame: () => {
      const now = callbacks.splice(0);
      now.forEach((callback) => callback());
      return now.length;
    },
  };
}

it("DrawTurns draws in the next frame what it has time for, and the rest in the order of the wishes in those after it", () => {
  const { want, frame, drawn } = page();
  for (const name of ["a", "b", "c", "d", "e"]) want(name);
  expect(drawn).toEqual([]);
  expect(frame()).toBe(1);
  expect(drawn).toEqual(["a", "b"]);
  expect(frame()).toBe(1);
  expect(drawn).toEqual(["a", "b", "c", "d"]);
  frame();
  expect(drawn).toEqual(["a", "b", "c", "d", "e"]);
  expect(frame()).toBe(0);
  want("a");
  frame();
  expect(drawn.at(-1)).toBe("a");
  expect(frame()).toBe(0);
});

it("DrawTurns draws the latest of what a chart waits for, once, and nothing of a chart that is gone", () => {
  const { want, frame, forget, drawn } = page();
  for (const name of ["a", "b", "c", "d"]) want(name);
  want("c", "c again");
  forget("d");
  while (frame() > 0);
  expect(drawn).toEqual(["a", "b", "c again"]);
});

it("DrawTurns goes on with the others where one cannot be drawn", () => {
  const { want, fail, frame, drawn } = page();
  want("a");
  fail("b");
  want("c");
  expect(frame).toThrow("b");
  frame();
  expect(drawn).toEqual(["a", "c"]);
});
