import { LineController, PointElement } from "chart.js";
import { PiecewiseLine } from "./line-element.js";
import { withinPlot } from "./plot.js";

declare module "chart.js" {
  interface ChartTypeRegistry {
    bareLine: ChartTypeRegistry["line"];
  }
}

/** The charts that this controller draws. */
export type BareLine = "bareLine";

/**
 * Chart.js' controller of lines whose points are only drawn while they are pointed at: it neither asks each point to
 * draw itself nor resolves the style of points to know how far they stand out of the plot. It has a name of its own:
 * Chart.js registers the class that another extends before it, and the first of a name stays.
 */
export class BareLineController extends LineController {
  static override readonly id = "bareLine";
  static override readonly defaults = { ...LineController.defaults, datasetElementType: PiecewiseLine.id };

  override draw(): void {
    const { chart } = this;
    const { dataset } = this.getMeta();
    if (dataset instanceof PiecewiseLine) withinPlot(chart, () => dataset.draw(chart.ctx), this.getMaxOverflow());
    for (const { element, datasetIndex } of chart.getActiveElements())
      if (datasetIndex === this.index && element instanceof PointElement) element.draw(chart.ctx, chart.chartArea);
  }

  protected override getMaxOverflow(): number {
    const { borderWidth } = this.getDataset();
    return typeof borderWidth === "number" ? borderWidth / 2 : 0;
  }
}
