import type { QuantileEstimate } from "../model/index.js";
import type { EstimateBounds, StatisticsTable } from "./types/index.js";

const BOUNDS = ["lower", "upper", "low", "high", "linear"] as const;

/** How far the cells of a table may be trusted, added cell by cell. */
export class EstimateCells {
  private readonly cells: Record<keyof EstimateBounds, number[]> = {
    lower: [],
    upper: [],
    low: [],
    high: [],
    linear: [],
  };

  /** @param estimate undefined for a cell that is no estimate */
  add(estimate: QuantileEstimate | undefined): void {
    const [low, high] = estimate?.interval ?? [NaN, NaN];
    const { lower, upper, linear } = estimate ?? { lower: NaN, upper: NaN, linear: NaN };
    const numbers = { lower, upper, low, high, linear };
    for (const bound of BOUNDS) this.cells[bound].push(numbers[bound]);
  }

  get bounds(): EstimateBounds {
    return everyBound((bound) => Float64Array.from(this.cells[bound]));
  }
}

/** The last bound, of a cell whose quantile lies above it: how far, no bucket says. Undefined of any other cell. */
export function lastBoundBelow(estimates: EstimateBounds | undefined, at: number): number | undefined {
  const bound = estimates?.lower[at];
  return estimates?.upper[at] === Infinity && Number.isFinite(bound) ? bound : undefined;
}

/** The same made of each bound. */
export function everyBound(of: (bound: keyof EstimateBounds) => Float64Array): EstimateBounds {
  return { lower: of("lower"), upper: of("upper"), low: of("low"), high: of("high"), linear: of("linear") };
}

/** Some rows of a table. @param most how many at most, the first of them */
export function chosenRows(
  table: StatisticsTable,
  wants: (row: StatisticsTable["rows"][number]) => boolean,
  most = Infinity,
): StatisticsTable {
  const kept = [...table.rows.entries()].filter(([, row]) => wants(row)).slice(0, most);
  const width = table.columns.length;
  const cells = (values: Float64Array) =>
    Float64Array.from(kept.flatMap(([i]) => [...values.subarray(i * width, (i + 1) * width)]));
  const { estimates } = table;
  return {
    ...table,
    rows: kept.map(([, row]) => row),
    values: cells(table.values),
    ...(estimates === undefined
      ? {}
      : {
          estimates: everyBound((bound) => cells(estimates[bound])),
        }),
  };
}
