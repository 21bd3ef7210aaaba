import { t } from "@vscode/l10n";
import type { Plugin } from "chart.js";
import type { EventsStatus } from "../../src/protocol/index.js";
import type { Viewport } from "../state/run-store.js";
import type { ChartMark } from "./marks.js";
import { css, type ChartTheme } from "./theme.js";
import { plural } from "../../src/core/text/plural.js";

/** Events of one kind that lie close together. */
export interface EventTick extends ChartMark, Pick<EventsStatus, "kind" | "count"> {}

/** What the plugin needs of a chart's model. */
export interface TickedModel {
  readonly events: readonly EventTick[];
  readonly axis: Viewport;
  readonly theme: ChartTheme;
}

const KINDS = ["request", "kv-cache"] as const;
const HEIGHT = 7;
/** Of the dot that a tick of the KV cache ends in. */
const DOT = 2;
/** As far from the time pointed at as this share of the axis, an event is named. */
const NEAR = 0.01;
const MAX_TOLD = 3;

/** The events of servers as ticks that stand on the time axis: of a request a line, of the KV cache one with a dot. */
export function eventTicks(current: () => TickedModel): Plugin<"line"> {
  return {
    id: "eventTicks",
    afterDatasetsDraw(chart) {
      const { events, axis, theme } = current();
      if (events.length === 0) return;
      const { ctx, chartArea } = chart;
      ctx.save();
      ctx.strokeStyle = ctx.fillStyle = css(theme.mark, 0.9);
      ctx.lineWidth = 1;
      ctx.beginPath();
      for (const { time, kind } of within(events, axis)) {
        const x = Math.round(chart.scales["x"]?.getPixelForValue(time) ?? 0) + 0.5;
        const top = chartArea.bottom - HEIGHT;
        ctx.moveTo(x, chartArea.bottom);
        ctx.lineTo(x, top);
        if (kind === "kv-cache") ctx.fillRect(x - DOT, top - DOT, 2 * DOT, 2 * DOT);
      }
      ctx.stroke();
      ctx.restore();
    },
  };
}

/** The kinds of events that the axis shows, and how many of each. */
export function eventCounts({ events, axis }: Pick<TickedModel, "events" | "axis">) {
  const shown = within(events, axis);
  return KINDS.map((kind) => ({
    kind,
    count: shown.reduce((sum, event) => (event.kind === kind ? sum + event.count : sum), 0),
  })).filter(({ count }) => count > 0);
}

function within(events: readonly EventTick[], { from, to }: Viewport): readonly EventTick[] {
  return events.filter(({ time }) => time >= from && time <= to);
}

/** What is said of the events at the time pointed at: the nearest ones. */
export function eventsNear({ events, axis }: Pick<TickedModel, "events" | "axis">, seconds: number): readonly string[] {
  const reach = (axis.to - axis.from) * NEAR;
  const distance = ({ time }: ChartMark) => Math.abs(time - seconds);
  const near = events.filter((event) => distance(event) <= reach).sort((a, b) => distance(a) - distance(b));
  const more = near.length - MAX_TOLD;
  return [
    ...near.slice(0, MAX_TOLD).map(({ label }) => label),
    ...(more > 0 ? [t`and ${plural(more, t("more event"), t("more events"))}`] : []),
  ];
}
