import type { Locator, Page } from "playwright-core";
import type {} from "./host.js";
import { viewPages, type OpenedPage } from "./pages.js";

/**
 * Opens pages of the run view, one at a time; all else is what tests see and ask of the page that is open.
 * @param onOpen gets each page that is opened, and what it complains of
 */
export function runPage(executablePath: string, onOpen: (opened: OpenedPage) => void) {
  const pages = viewPages(executablePath);
  let page: Page;
  const current = () => page;
  /** @param query what the host shows, such as "still&theme=light" */
  const open = async (query: string) => {
    const opened = await pages.open(`?${query}`);
    page = opened.page;
    onOpen(opened);
  };
  const cards = (): Locator => current().locator(".chart-card");
  const calls = (name: string) =>
    current().evaluate(
      (wanted) => window.harness.calls.filter((call) => call.name === wanted).map((call) => call.params),
      name,
    );

  /** A canvas' most frequent colours, by which its looks can be compared. */
  const colors = (canvas: Locator) =>
    canvas.evaluate((element) => {
      if (!(element instanceof HTMLCanvasElement)) throw new Error("not a canvas");
      const data = element.getContext("2d")?.getImageData(0, 0, element.width, element.height).data ?? [];
      const counts = new Map<string, number>();
      for (let i = 0; i < data.length; i += 4) {
        if ((data[i + 3] ?? 0) > 200)
          counts.set(
            `${data[i]},${data[i + 1]},${data[i + 2]}`,
            (counts.get(`${data[i]},${data[i + 1]},${data[i + 2]}`) ?? 0) + 1,
          );
      }
      return [...counts]
        .sort((a, b) => b[1] - a[1])
        .slice(0, 4)
        .map(([color]) => color);
    });

  /** Until a tab is chosen and every chart on it is drawn; of the overview, until its tiles are there, too. */
  async function complete(tab: "Overview" | "Explore" = "Explore"): Promise<void> {
    await current().getByRole("tab", { name: tab }).click();
    await current().waitForFunction((overview) => {
      const canvases = [...document.querySelectorAll<HTMLCanvasElement>(".chart-canvas canvas")];
      const drawn = (canvas: HTMLCanvasElement) =>
        canvas.width > 0 &&
        canvas
          .getContext("2d")
          ?.getImageData(0, 0, canvas.width, canvas.height)
          .data.some((value) => value !== 0) === true;
      const tiles = document.querySelectorAll(".tile").length;
      return (overview ? tiles >= 9 && canvases.length >= 5 : canvases.length >= 6) && canvases.every(drawn);
    }, tab === "Overview");
  }

  /** What is moved over has to be in sight. */
  const showCharts = () =>
    current()
      .locator(".charts")
      .evaluate((charts) => charts.scrollIntoView());

  return { open, cards, calls, colors, complete, showCharts };
}
