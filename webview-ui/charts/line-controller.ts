import { LineController, LineElement, PointElement } from "chart.js";

/**
 * Chart.js' controller of lines whose points are only drawn while they are pointed at: it neither asks each point to
 * draw itself nor resolves the style of points to know how far they stand out of the plot.
 */
export class BareLineController extends LineController {
  static override readonly id = LineController.id;

  override draw(): void {
    const { ctx, chartArea } = this.chart;
    const { dataset } = this.getMeta();
    if (dataset instanceof LineElement) dataset.draw(ctx, chartArea);
    for (const { element, datasetIndex } of this.chart.getActiveElements())
      if (datasetIndex === this.index && element instanceof PointElement) element.draw(ctx, chartArea);
  }

  protected override getMaxOverflow(): number {
    const { borderWidth } = this.getDataset();
    return typeof borderWidth === "number" ? borderWidth / 2 : 0;
  }
}
