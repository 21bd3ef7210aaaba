import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { unlistedFamilies } from "../../../support/catalog-diff.js";
import { keyTiles } from "../../../../src/core/query/index.js";
import { recordedRun } from "../../../support/recordings.js";

const FOLDER = path.join(import.meta.dirname, "../../../fixtures/expositions");

/**
 * A file is what a server exposes at each of several scrapes, under "# scrape N s", with the labels and types of its
 * own source; "# tile ID VALUE" says what the tile then shows, "between A and B" where it is an estimate.
 */
function read(file: string) {
  const { head, run } = recordedRun(readFileSync(path.join(FOLDER, file), "utf8"), 20);
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
