import type { Plugin } from "chart.js";
import type { Viewport } from "../state/run-store.js";
import type { Mark } from "./marks.js";
import { css, type ChartTheme } from "./theme.js";

/** What the plugin needs of a chart's model. */
export interface TickedModel {
  readonly events: readonly Mark[];
  readonly axis: Viewport;
  readonly theme: ChartTheme;
}

const HEIGHT = 7;
/** As far from the time pointed at as this share of the axis, an event is named. */
const NEAR = 0.004;
const MOST_TOLD = 3;

/** The events of servers as ticks that stand on the time axis. */
export function eventTicks(current: () => TickedModel): Plugin<"line"> {
  return {
    id: "eventTicks",
    afterDatasetsDraw(chart) {
      const { events, axis, theme } = current();
      if (events.length === 0) return;
      const { ctx, chartArea } = chart;
      ctx.save();
      ctx.strokeStyle = css(theme.mark, 0.9);
      ctx.lineWidth = 1;
      ctx.beginPath();
      for (const { time } of events) {
        if (time < axis.from || time > axis.to) continue;
        const x = Math.round(chart.scales["x"]?.getPixelForValue(time) ?? 0) + 0.5;
        ctx.moveTo(x, chartArea.bottom);
        ctx.lineTo(x, chartArea.bottom - HEIGHT);
      }
      ctx.stroke();
      ctx.restore();
    },
  };
}

/** What is said of the events at the time pointed at: the nearest ones. */
export function eventsNear({ events, axis }: Pick<TickedModel, "events" | "axis">, seconds: number): readonly string[] {
  const reach = (axis.to - axis.from) * NEAR;
  const distance = ({ time }: Mark) => Math.abs(time - seconds);
  const near = events.filter((event) => distance(event) <= reach).sort((a, b) => distance(a) - distance(b));
  const more = near.length - MOST_TOLD;
  return [...near.slice(0, MOST_TOLD).map(({ label }) => label), ...(more > 0 ? [`and ${more} more events`] : [])];
}
