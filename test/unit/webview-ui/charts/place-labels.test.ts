import { expect, it } from "vitest";
import { placeLabels, type Labelled } from "../../../../webview-ui/charts/point-plot.js";

const BOUNDS = { left: 60, right: 680, top: 0, bottom: 260 };
const at = (x: number, y: number, text = "64"): Labelled => ({ x, y, text });

const written = (points: readonly Labelled[]) =>
  placeLabels(points, BOUNDS).map((place, i) =>
    place === undefined
      ? undefined
      : {
          left: place.x,
          right: place.x + 7 * (points[i]?.text.length ?? 0),
          top: place.y - 10,
          bottom: place.y,
        },
  );

it("a load stands to the right below its point", () => {
  expect(placeLabels([at(100, 100)], BOUNDS)).toEqual([{ x: 111, y: 116 }]);
});

it("loads of points close to each other never lie on one another, on a point or beside the plot", () => {
  const points = Array.from({ length: 60 }, (_, i) =>
    at(62 + ((i * 37) % 610), 2 + ((i * 53) % 255), String(2 ** (i % 9))),
  );
  const boxes = written(points);
  expect(boxes.filter((box) => box !== undefined).length).toBeGreaterThan(20);
  boxes.forEach((box, i) => {
    if (box === undefined) return;
    expect(box.left >= BOUNDS.left && box.right <= BOUNDS.right && box.bottom <= BOUNDS.bottom && box.top >= 0).toBe(
      true,
    );
    const others = [
      ...boxes.slice(i + 1),
      ...points.map(({ x, y }) => ({ left: x - 5, right: x + 5, top: y - 5, bottom: y + 5 })),
    ];
    for (const other of others)
      if (other !== undefined)
        expect(
          box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom,
        ).toBe(false);
  });
});

it("those that come first choose first, and one without a place is not written", () => {
  const crowd = Array.from({ length: 12 }, (_, i) => at(100 + i, 100 + (i % 2)));
  const places = placeLabels(crowd, BOUNDS);
  expect(places[0]).toEqual({ x: 111 + 0, y: 116 });
  expect(places.filter((place) => place === undefined).length).toBeGreaterThan(5);
});

it("a point without a load has no text", () => {
  expect(placeLabels([at(100, 100, "")], BOUNDS)).toEqual([undefined]);
});
