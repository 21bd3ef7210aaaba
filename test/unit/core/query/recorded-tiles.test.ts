import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { unlistedFamilies } from "../../../../src/core/catalog/index.js";
import { ExpositionParser } from "../../../../src/core/exposition/index.js";
import { durationNs, epochNs } from "../../../../src/core/model/index.js";
import { keyTiles } from "../../../../src/core/query/index.js";
import { Run, Store } from "../../../../src/core/store/index.js";
import { ORIGIN, SECOND } from "../../../support/run-builder.js";

const FOLDER = path.join(import.meta.dirname, "../../../fixtures/expositions");
const URL = "http://localhost:8000/metrics";

/**
 * A file is what a server exposes at each of several scrapes, under "# scrape N s", with the labels and types of its
 * own source; "# tile ID VALUE" says what the tile then shows, "between A and B" where it is an estimate.
 */
function read(file: string) {
  const [head = "", ...scrapes] = readFileSync(path.join(FOLDER, file), "utf8").split(/^# scrape (?=\d+ s$)/m);
  const run = new Run(
    { benchmarkId: file, endpointsConfigured: [URL], sliceDurationSeconds: 5, inputConfig: {} },
    new Store(),
  );
  const parser = new ExpositionParser();
  for (const text of scrapes) {
    const time = epochNs(ORIGIN + BigInt(parseInt(text, 10) * SECOND));
    const batch = parser.parse(Buffer.from(text.slice(text.indexOf("\n") + 1)), "text");
    const outcome = { kind: "samples", batch } as const;
    run.store.append({ endpointUrl: URL, time, latency: durationNs(1e6), requestSent: time, outcome });
  }
  run.setProfilingStart(ORIGIN);
  run.setProfilingEnd(epochNs(ORIGIN + BigInt(20 * SECOND)));
  const expected = [...head.matchAll(/^# tile (\S+) (?:between (\S+) and (\S+)|(\S+))$/gm)].map(
    ([, id = "", from, to, value]) => ({ id, from: Number(value ?? from), to: Number(value ?? to) }),
  );
  return { run, expected };
}

describe.each(readdirSync(FOLDER))("%s", (file) => {
  const { run, expected } = read(file);
  const tiles = new Map(keyTiles(run).map((tile) => [tile.id, tile.value]));

  it.each(expected)("fills the tile $id", ({ id, from, to }) => {
    const value = tiles.get(id) ?? NaN;
    if (from === to) expect(value / (from === 0 ? 1 : from)).toBeCloseTo(from === 0 ? 0 : 1, 9);
    else {
      expect(value).toBeGreaterThanOrEqual(from);
      expect(value).toBeLessThanOrEqual(to);
    }
  });

  it("has no family that the catalogue lacks", () => {
    expect(expected.length).toBeGreaterThan(3);
    expect(unlistedFamilies(run.store.families().map(({ name }) => name))).toEqual([]);
  });
});
