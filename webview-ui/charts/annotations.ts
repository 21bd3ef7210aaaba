import type { AnnotationOptions } from "chartjs-plugin-annotation";
import type { ChartModel } from "./drawing.js";
import { boundaries, hasRoom, leftOut } from "./stretches.js";
import { css } from "./theme.js";
import { reachOf } from "./value-scale.js";

/** What lies behind and over the lines: warm-up, windows, marks and limits of assertions. */
export function annotations(model: ChartModel): Record<string, AnnotationOptions> {
  const { theme } = model;
  const all: Record<string, AnnotationOptions> = {};
  for (const stretch of leftOut(model)) {
    all[stretch.id] = {
      type: "box",
      xMin: stretch.from,
      xMax: stretch.to,
      backgroundColor: css(theme.shade),
      borderWidth: 0,
      drawTime: "beforeDatasetsDraw",
      // No room for the word: the shade has to do.
      label: {
        display: hasRoom(stretch, model),
        content: stretch.text,
        position: { x: "start", y: "start" },
        padding: 4,
        color: css(theme.muted),
        font: { size: 10, weight: "normal", family: theme.fontFamily },
      },
    };
  }
  for (const [id, time] of boundaries(model)) {
    all[id] = {
      type: "line",
      scaleID: "x",
      value: time,
      borderColor: css(theme.muted, 0.8),
      borderWidth: 1,
      borderDash: [3, 3],
      drawTime: "beforeDatasetsDraw",
    };
  }
  model.marks.forEach(({ time }, i) => {
    if (time < model.axis.from || time > model.axis.to) return;
    all[`mark${i}`] = {
      type: "line",
      scaleID: "x",
      value: time,
      borderColor: css(theme.mark, 0.75),
      borderWidth: 1,
    };
  });
  const reach = reachOf(model);
  for (const [i, { value, text, failed }] of (model.thresholds ?? []).entries()) {
    if (reach === undefined || value > reach) continue;
    const color = failed ? theme.error : theme.foreground;
    all[`threshold${i}`] = {
      type: "line",
      scaleID: "y",
      value,
      borderColor: css(color, 0.9),
      borderWidth: 1.5,
      borderDash: [8, 4],
      label: {
        display: true,
        content: text,
        position: "end",
        backgroundColor: css(theme.surface),
        borderColor: css(color),
        borderWidth: 1,
        borderRadius: 2,
        color: css(color),
        padding: { x: 4, y: 1 },
        font: { size: 10, weight: "normal", family: theme.fontFamily },
      },
    };
  }
  return all;
}
