import { expect, it } from "vitest";
import { histogramSubtitle } from "../../../../webview-ui/breakdown/text.js";

it("histogramSubtitle says of how many series a histogram is the sum", () => {
  expect(histogramSubtitle("observations/s", undefined, 2)).toBe("observations/s, sum of 2 series");
  expect(histogramSubtitle("observations in the window", 3, 8)).toBe(
    "observations in the window, sum of 3 of 8 series",
  );
  expect(histogramSubtitle("observations/s", 1, 8)).toBe("observations/s, 1 of 8 series");
  expect(histogramSubtitle("observations in the window", undefined, 1)).toBe("observations in the window");
});
