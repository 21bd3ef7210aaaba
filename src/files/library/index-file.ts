import type { RunAbout, RunMeasured, RunValues } from "../../core/library/index.js";
import { getOrInsert } from "../../core/math/index.js";
import { replaceFile } from "../atomic.js";
import { RegularFile } from "../opener.js";

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

/** A run's line of the file: its statistics are those from `from` to `to`. */
interface Line extends Omit<Kept, "measured"> {
  readonly id: string;
  readonly measured?: Omit<RunMeasured, "values">;
  readonly from: number;
  readonly to: number;
}

/** At the beginning: "SMLB" and a version, the number of statistics, and zero. */
const HEAD = [0x424c4d53, 5] as const;
const HEAD_BYTES = 16;
const NUMBER_BYTES = 8;
const ID_BYTES = 4;

/** Statistics that all runs of a file share: numbers, each with the place of its name; those of a run in that order. */
interface Statistics {
  readonly names: readonly string[];
  readonly ids: ReadonlyMap<string, number>;
  readonly numbers: Float64Array;
  readonly idOf: Uint32Array;
}

/** Those of a run. */
class KeptValues implements RunValues {
  constructor(
    private readonly all: Statistics,
    private readonly from: number,
    private readonly to: number,
  ) {}

  get(name: string): number | undefined {
    const { ids, idOf, numbers } = this.all;
    const id = ids.get(name);
    if (id === undefined) return undefined;
    let [low, high] = [this.from, this.to];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((idOf[middle] ?? 0) < id) low = middle + 1;
      else high = middle;
    }
    return low < this.to && idOf[low] === id ? numbers[low] : undefined;
  }

  *keys(): Iterable<string> {
    const { names, idOf } = this.all;
    for (let i = this.from; i < this.to; i++) yield names[idOf[i] ?? 0] ?? "";
  }
}

/** Numbers, the places of their names, then lines of JSON: the names, and one a run. */
export async function writeIndex(path: string, runs: ReadonlyMap<string, Kept>): Promise<void> {
  const ids = new Map<string, number>();
  const idOf = (name: string) => getOrInsert(ids, name, () => ids.size);
  const numbers: number[] = [];
  const places: number[] = [];
  const lines = [...runs].map(([id, { measured, ...kept }]) => {
    const from = numbers.length;
    const own = [...(measured?.values.keys() ?? [])].map((name) => ({
      id: idOf(name),
      value: measured?.values.get(name),
    }));
    for (const { id, value } of own.sort((a, b) => a.id - b.id)) {
      numbers.push(value ?? NaN);
      places.push(id);
    }
    const { values: _, ...about } = measured ?? { values: undefined };
    const line = { id, ...kept, ...(measured === undefined ? {} : { measured: about }), from, to: numbers.length };
    return JSON.stringify(line);
  });
  const head = new Uint32Array([...HEAD, numbers.length, 0]);
  const text = new TextEncoder().encode([JSON.stringify([...ids.keys()]), ...lines].join("\n"));
  const parts = [head, new Float64Array(numbers), new Uint32Array(places), text];
  await replaceFile(path, Buffer.concat(parts.map(({ buffer }) => new Uint8Array(buffer))));
}

/** It is this program's own; one of another version, or that is damaged, is none. */
export async function readIndex(path: string): Promise<ReadonlyMap<string, Kept>> {
  const file = await RegularFile.open(path).catch(() => undefined);
  if (file === undefined) return new Map();
  try {
    // A copy begins where numbers may.
    const { buffer } = new Uint8Array(await file.bytesAt(0, file.size));
    const [mark, version, count = 0] = new Uint32Array(buffer, 0, HEAD_BYTES / ID_BYTES);
    if (mark !== HEAD[0] || version !== HEAD[1]) return new Map();
    const numbers = new Float64Array(buffer, HEAD_BYTES, count);
    const idOf = new Uint32Array(buffer, HEAD_BYTES + count * NUMBER_BYTES, count);
    const text = new TextDecoder().decode(new Uint8Array(buffer, HEAD_BYTES + count * (NUMBER_BYTES + ID_BYTES)));
    const [first = "", ...lines] = text.split("\n");
    const names = JSON.parse(first) as readonly string[];
    const statistics = { names, ids: new Map(names.map((name, i) => [name, i])), numbers, idOf };
    return new Map(
      lines.map((line) => {
        const { id, from, to, measured, ...kept } = JSON.parse(line) as Line;
        const values = new KeptValues(statistics, from, to);
        return [id, { ...kept, ...(measured === undefined ? {} : { measured: { ...measured, values } }) }];
      }),
    );
  } catch {
    return new Map();
  } finally {
    await file.close();
  }
}
