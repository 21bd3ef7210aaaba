import type { Frame } from "playwright-core";
import type { JsonArtifact } from "./artifacts.js";
import { until } from "./driver.js";

/** A row of a table as it is shown: what it is of, and its exact numbers by statistic; estimates are left out. */
interface Row {
  readonly family: string;
  readonly labels: readonly string[];
  readonly texts: readonly string[];
  readonly numbers: Readonly<Record<string, number>>;
}

/** The rows that are drawn of the table that is shown. */
export const rowsOf = (view: Frame): Promise<Row[]> =>
  view.locator(".data-table .grid").evaluate((grid) => {
    const titles = [...grid.querySelectorAll(".grid-head .grid-cell")].map((cell) => cell.textContent.trim());
    return [...grid.querySelectorAll(".grid-body .grid-row")].map((row) => {
      const cells = [...row.querySelectorAll<HTMLElement>(".grid-cell")];
      const texts = cells.filter((cell) => cell.classList.contains("text"));
      const [family = "", , ...labels] = (texts[0]?.title ?? "").split("\n");
      const exact = cells.flatMap((cell, i) =>
        cell.classList.contains("numeric") && cell.dataset["hint"] === undefined
          ? [[titles[i] ?? "", Number(cell.title)] as const]
          : [],
      );
      return {
        family,
        labels,
        texts: texts.map((cell) => cell.textContent.trim()),
        numbers: Object.fromEntries(exact.filter(([, value]) => !Number.isNaN(value))),
      };
    });
  });

const keyOf = (family: string, labels: readonly string[]): string => [family, ...[...labels].sort()].join("\n");

/** The statistics of an artifact by series, as a table's rows name them. */
export const seriesOf = ({ metrics }: JsonArtifact): Map<string, Readonly<Record<string, number>>> =>
  new Map(
    Object.entries(metrics).flatMap(([family, { series }]) =>
      series.map(
        ({ labels, stats }) =>
          [
            keyOf(
              family,
              Object.entries(labels ?? {}).map((pair) => pair.join("=")),
            ),
            stats,
          ] as const,
      ),
    ),
  );

/** Shows the statistics of a type until they are those of the artifact, number by number. */
export async function hasStatistics(view: Frame, type: string, expected: JsonArtifact): Promise<void> {
  await view.getByRole("tab", { name: "Statistics" }).click();
  await view.getByRole("combobox", { name: "Metrics of a type" }).click();
  await view.getByRole("option", { name: `all ${type}` }).click();
  await view.getByRole("grid", { name: `Statistics of all ${type}` }).waitFor();
  const series = seriesOf(expected);
  let said = "";
  await until(
    async () => {
      const rows = await rowsOf(view);
      const numbers = rows.flatMap(({ family, labels, numbers: own }) =>
        Object.entries(own).map(([title, value]) => ({
          key: keyOf(family, labels),
          statistic: title.replace(" ", "_"),
          value,
        })),
      );
      const other = numbers.find(({ key, statistic, value }) => series.get(key)?.[statistic] !== value);
      said =
        other === undefined
          ? `only ${numbers.length} numbers`
          : `${other.value} as ${other.statistic} of ${other.key}, not ${String(series.get(other.key)?.[other.statistic])}`;
      return other === undefined && numbers.length > 30;
    },
    () => `the table shows ${said}`,
  );
}
