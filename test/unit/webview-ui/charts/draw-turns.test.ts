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
    want: (name: string, text = name, takes = 2, points = 0) =>
      turns.draw(chart(name), points, () => {
        time += takes;
        drawn.push(text);
      }),
    fail: (name: string) =>
      turns.draw(chart(name), 0, () => {
        throw new Error(name);
      }),
    forget: (name: string) => turns.forget(chart(name)),
    pause: () => turns.pause(),
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
  expect(frame()).toBe(1);
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
  frame();
  expect(drawn.at(-1)).toBe("a");
  expect(frame()).toBe(0);
});

it("DrawTurns draws what is wanted while others wait a frame later than those", () => {
  const { want, frame, drawn } = page();
  want("a");
  frame();
  want("b");
  frame();
  expect(drawn).toEqual(["a"]);
  frame();
  expect(drawn).toEqual(["a", "b"]);
});

it("DrawTurns draws a chart that wants something new in each frame", () => {
  const { want, frame, drawn } = page();
  for (let i = 1; i <= 4; i++) {
    want("a", `a${i}`);
    frame();
  }
  expect(drawn).toEqual(["a2", "a4"]);
});

it("DrawTurns gives a chart that took long a frame of its own", () => {
  const { want, frame, drawn } = page();
  want("dear", "dear", 12);
  while (frame() > 0);
  want("a", "a", 0.5);
  want("dear", "dear again", 12);
  want("b", "b", 0.5);
  frame();
  frame();
  expect(drawn).toEqual(["dear", "a"]);
  frame();
  expect(drawn).toEqual(["dear", "a", "dear again"]);
  frame();
  expect(drawn).toEqual(["dear", "a", "dear again", "b"]);
});

it("DrawTurns draws no more points in a frame than can be rasterised in it, but for a chart alone", () => {
  const { want, frame, drawn } = page();
  want("thicket", "thicket", 0.1, 6000);
  want("a", "a", 0.1, 2000);
  want("b", "b", 0.1, 2000);
  want("c", "c", 0.1, 1000);
  frame();
  frame();
  expect(drawn).toEqual(["thicket"]);
  frame();
  expect(drawn).toEqual(["thicket", "a", "b"]);
  frame();
  expect(drawn).toEqual(["thicket", "a", "b", "c"]);
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
  want("b");
  fail("c");
  want("d");
  frame();
  frame();
  expect(frame).toThrow("c");
  frame();
  expect(drawn).toEqual(["a", "b", "d"]);
});

it("DrawTurns draws nothing in a frame that has other work, and goes on in the next one, whatever that has", () => {
  const { want, pause, frame, drawn } = page();
  for (const name of ["a", "b", "c", "d", "e"]) want(name);
  frame();
  pause();
  expect(frame()).toBe(1);
  expect(drawn).toEqual([]);
  pause();
  frame();
  expect(drawn).toEqual(["a", "b"]);
  pause();
  frame();
  expect(drawn).toEqual(["a", "b"]);
  frame();
  expect(drawn).toEqual(["a", "b", "c", "d"]);
  frame();
  expect(drawn).toEqual(["a", "b", "c", "d", "e"]);
  expect(frame()).toBe(0);
});

it("DrawTurns does not take a frame that had other work for a wait where no chart's turn had come", () => {
  const { want, pause, frame, drawn } = page();
  want("a");
  pause();
  frame();
  pause();
  frame();
  expect(drawn).toEqual([]);
  frame();
  expect(drawn).toEqual(["a"]);
});
