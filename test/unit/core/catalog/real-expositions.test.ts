import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { familyEntry, groupOf, hintsFor, recogniseServers, shownUnit } from "../../../../src/core/catalog/index.js";
import { parseDocument } from "../../../../src/core/exposition/index.js";
import { describeReal } from "../../../support/real-runs.js";

describeReal("expositions of real servers", (directory) => {
  const folder = join(directory, "expositions");
  it.each(readdirSync(folder).sort())("%s: every family is known, with the type and unit that it has", (file) => {
    const families = parseDocument(gunzipSync(readFileSync(join(folder, file))), "text").filter(
      ({ name, type }) => !name.endsWith("_created") && type !== "summary",
    );
    expect(families.length).toBeGreaterThan(15);
    expect(families.filter(({ name }) => familyEntry(name) === undefined).map(({ name }) => name)).toEqual([]);
    for (const { name, type, description } of families) {
      expect(familyEntry(name)?.type, name).toBe(type);
      expect(groupOf(name), name).not.toBe("Other");
      if (name.endsWith("_seconds")) expect(shownUnit({ name, description }), name).toMatch(/seconds|timestamp/);
    }
  });

  it("several API servers of vLLM merge their metrics, without those of a process: nothing is missed", () => {
    const text = gunzipSync(readFileSync(join(folder, "vllm-0.32.0-cpu.txt.gz"))).toString();
    const merged = text.split("\n").filter((line) => !/^(# \w+ )?(process|python)_|_created/.test(line));
    const names = parseDocument(Buffer.from(merged.join("\n")), "text").map(({ name }) => name);
    expect(recogniseServers(names).map(({ id }) => id)).toEqual(["vllm"]);
    expect(hintsFor(names)).toEqual([]);
  });
});
