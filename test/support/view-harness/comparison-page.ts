import type { Locator, Page } from "playwright-core";
import type {} from "./comparison-host.js";
import { viewPages, type OpenedPage } from "./pages.js";

/**
 * Opens pages of the comparison view, one at a time; all else is what tests see and ask of the page that is open.
 * @param onOpen gets each page that is opened, and what it complains of
 */
export function comparisonPage(executablePath: string, onOpen: (opened: OpenedPage) => void) {
  const pages = viewPages(executablePath);
  let page: Page;
  const current = () => page;
  /** @param query what the host shows, such as "still&theme=light" */
  const open = async (query: string) => {
    const opened = await pages.open(`comparison?${query}`);
    page = opened.page;
    onOpen(opened);
  };
  const grid = (): Locator => current().getByRole("grid", { name: "Differences" });
  const tab = (name: string): Locator => current().getByRole("tab", { name });
  const calls = (name: string) =>
    current().evaluate(
      (wanted) => window.comparisonHarness.calls.filter((call) => call.name === wanted).map((call) => call.params),
      name,
    );
  /** Of the result that the host holds: rows with one of these verdicts. */
  const withVerdicts = (verdicts: readonly string[]) =>
    current().evaluate(
      (wanted) =>
        window.comparisonHarness
          .comparison()
          ?.rows.filter(({ cells }) => cells.some(({ verdict }) => wanted.includes(verdict))).length ?? -1,
      verdicts,
    );
  const labels = () => current().evaluate(() => window.comparisonHarness.state().runs.map(({ label }) => label));
  /** Ends the reading of these runs once it is shown, and gives what was asked for so far. */
  const rereading = async (...runs: readonly string[]) => {
    for (const label of runs)
      await current()
        .getByRole("progressbar", { name: `Reading ${label}` })
        .waitFor();
    await current().evaluate(() => window.comparisonHarness.finishReading());
    return calls("readAgain");
  };

  return { open, grid, tab, calls, withVerdicts, labels, rereading };
}
