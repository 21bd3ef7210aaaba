import { expect, it } from "vitest";
import { refreshMs } from "../../../../webview-ui/charts/viewport.js";

it("refreshMs asks again about when the axis has moved by a pixel, never faster than an eye needs nor slower than three seconds", () => {
  expect(refreshMs({ from: -30, to: 120 })).toBe(900);
  expect(refreshMs({ from: 0, to: 1200 })).toBe(2000);
  expect(refreshMs({ from: 0, to: 86_400 })).toBe(3000);
});
