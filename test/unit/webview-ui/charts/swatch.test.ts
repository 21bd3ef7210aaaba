import { expect, it } from "vitest";
import { swatch } from "../../../../webview-ui/charts/legend.js";

it("repeats a line's dashes and gaps in its colour, and leaves a solid line whole", () => {
  const dashed = swatch([10, 20, 30, 1], { dash: [9, 3, 2, 3], width: 1.2 });
  const blue = "rgba(10, 20, 30, 1)";
  expect(dashed.backgroundImage).toBe(
    `repeating-linear-gradient(to right, ${blue} 0px 9px, transparent 9px 12px, ${blue} 12px 14px, transparent 14px 17px)`,
  );
  const solid = swatch([10, 20, 30, 1], { dash: [], width: 2 });
  expect(solid.backgroundImage).not.toContain("transparent");
  expect(parseFloat(solid.backgroundSize.split(" ")[1] ?? "")).toBeGreaterThan(
    parseFloat(dashed.backgroundSize.split(" ")[1] ?? ""),
  );
});
