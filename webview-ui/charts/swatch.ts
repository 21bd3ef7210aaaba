import type { LineStyle } from "./colors.js";
import { css, type Rgba } from "./theme.js";

/** A little wider than in the chart, where more of the line is seen. CSS pixels. */
const WIDER = 0.6;

/**
 * A line as it is drawn, as the background of a box. An SVG element would cut off what it holds, and is moved by the
 * digits before it: that costs what `.short` says.
 */
export function swatch(color: Rgba, { dash, width }: LineStyle) {
  const drawn = css(color);
  let at = 0;
  const pieces = (dash.length === 0 ? [1] : dash).map((length, i) => {
    const from = at;
    at += length;
    return `${i % 2 === 0 ? drawn : "transparent"} ${from}px ${at}px`;
  });
  return {
    backgroundImage: `repeating-linear-gradient(to right, ${pieces.join(", ")})`,
    backgroundSize: `100% ${width + WIDER}px`,
  };
}
