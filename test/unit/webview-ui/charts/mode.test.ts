import { expect, it } from "vitest";
import { histogramSubtitle } from "../../../../webview-ui/charts/mode.js";

it("histogramSubtitle says of how many series a histogram is the sum", () => {
  expect(histogramSubtitle("heatmap", undefined, 2)).toBe("observations/s, sum of 2 series");
  expect(histogramSubtitle("distribution", 3, 8)).toBe("observations in the window, sum of 3 of 8 series");
  expect(histogramSubtitle("heatmap", 1, 8)).toBe("observations/s, 1 of 8 series");
  expect(histogramSubtitle("distribution", undefined, 1)).toBe("observations in the window");
});
