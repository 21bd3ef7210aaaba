import { deserialize, serialize } from "node:v8";
import type { RunAbout, RunMeasured, RunValues } from "../../core/library/index.js";
import { getOrInsert } from "../../core/math/index.js";
import { replaceFile } from "../atomic.js";
import { withFile } from "../opener.js";

/*
 * What is kept of the runs of a folder. Of a thousand runs there are a million statistics: they lie in the file as they
 * lie in memory, so that none is parsed, neither to show the first rows nor to filter by one of them.
 */

/** What is kept of a run: it holds as long as its files are what they were. */
export interface Kept {
  readonly stamp: string;
  readonly about?: RunAbout;
  readonly measured?: RunMeasured;
  readonly problem?: string;
}

/** Of another one nothing is read. */
const VERSION = 7;

interface Index {
  readonly version: number;
  /** Of statistics, which runs have by their places. */
  readonly names: readonly string[];
  readonly runs: readonly KeptRun[];
}

interface KeptRun extends Omit<Kept, "measured"> {
  readonly id: string;
  readonly measured?: Omit<RunMeasured, "values">;
  /** Places of its statistics' names, ascending, and the statistics. */
  readonly places: Uint32Array;
  readonly numbers: Float64Array;
}

/** The statistics of a run. */
class KeptValues implements RunValues {
  constructor(
    private readonly names: readonly string[],
    private readonly placeOf: ReadonlyMap<string, number>,
    private readonly run: KeptRun,
  ) {}

  get(name: string): number | undefined {
    const { places, numbers } = this.run;
    const place = this.placeOf.get(name) ?? NaN;
    let [low, high] = [0, places.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((places[middle] ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    return places[low] === place ? numbers[low] : undefined;
  }

  *keys(): Iterable<string> {
    for (const place of this.run.places) yield this.names[place] ?? "";
  }
}

export async function writeIndex(path: string, runs: ReadonlyMap<string, Kept>): Promise<void> {
  const placeOf = new Map<string, number>();
  const kept = [...runs].map(([id, { measured, ...run }]): KeptRun => {
    const names = [...(measured?.values.keys() ?? [])];
    const placed = names
      .map((name) => ({ place: getOrInsert(placeOf, name, () => placeOf.size), value: measured?.values.get(name) }))
      .sort((a, b) => a.place - b.place);
    return {
      id,
      ...run,
      ...(measured === undefined ? {} : { measured: withoutValues(measured) }),
      places: Uint32Array.from(placed, ({ place }) => place),
      numbers: Float64Array.from(placed, ({ value }) => value ?? NaN),
    };
  });
  const index: Index = { version: VERSION, names: [...placeOf.keys()], runs: kept };
  await replaceFile(path, serialize(index));
}

function withoutValues({ values: _, ...measured }: RunMeasured): Omit<RunMeasured, "values"> {
  return measured;
}

/** It is this program's own; one of another version, or that is damaged, is none. */
export async function readIndex(path: string): Promise<ReadonlyMap<string, Kept>> {
  try {
    const { version, names, runs } = deserialize(
      await withFile(path, undefined, (file) => file.bytesAt(0, file.size)),
    ) as Index;
    if (version !== VERSION) return new Map();
    const placeOf = new Map(names.map((name, place) => [name, place]));
    return new Map(
      runs.map((run) => {
        const { id, measured, places: _, numbers: __, ...kept } = run;
        const values = new KeptValues(names, placeOf, run);
        return [id, { ...kept, ...(measured === undefined ? {} : { measured: { ...measured, values } }) }];
      }),
    );
  } catch {
    return new Map();
  }
}
