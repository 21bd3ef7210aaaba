import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { StoredRun } from "../../src/core/query/index.js";
import { complete } from "../../src/core/stats/index.js";
import { epochNs, type FamilyResult } from "../../src/core/model/index.js";
import { statisticsByPhase } from "../../src/core/window/index.js";
import { savedHeader, storedHeader } from "../../src/engine/header.js";
import { exportArtifacts } from "../../src/files/index.js";
import { openArtifact } from "../../src/files/open/index.js";
import type { RunHeader } from "../../src/protocol/index.js";
import { seededRandom } from "../support/random.js";
import { ORIGIN, RunBuilder, SECOND } from "../support/run-builder.js";

/* A run is the same to look at while it is in memory and from each of its files: what its servers came to, its marks,
 * its slices. (Tiles, charts and findings: faces.test.ts.) */

const FORMATS = ["jsonl", "parquet", "json"] as const;
const SECONDS = 40;
const unitOf = () => undefined;

/** What an endpoint may come to. @returns what its scrape of that second is; undefined: none is made */
type Fate = (second: number) => "up" | "failed" | undefined;
const fates = (turn: number): Readonly<Record<string, Fate>> => ({
  "answers to the end": () => "up",
  "fails for a while": (second) => (second >= turn && second < turn + 4 ? "failed" : "up"),
  dies: (second) => (second >= turn ? "failed" : "up"),
  "dies at the very end": (second) => (second === SECONDS ? "failed" : "up"),
  "is removed": (second) => (second >= turn ? undefined : "up"),
  "fails, and is removed later": (second) => (second === 3 ? "failed" : second >= turn ? undefined : "up"),
  "never answers": () => "failed",
});
const FATES = Object.keys(fates(0));
/** The last is the one that the run's configuration has. */
const urls = FATES.map((_, e) => (e === FATES.length - 1 ? "http://a:1/metrics" : `http://server-${e}/metrics`));

/** A time within a second of this one. */
const about = (seconds: number): unknown => expect.closeTo(seconds, 0);

function generatedRun(seed: number) {
  const random = seededRandom(seed);
  const turn = 10 + Math.floor(random() * 20);
  const builder = new RunBuilder(5);
  Object.values(fates(turn)).forEach((fate, e) => {
    let tokens = 0;
    for (let second = 0; second <= SECONDS; second++) {
      const time = second + (second === 0 || second === SECONDS ? 0 : random() * 0.3);
      const outcome = fate(second);
      tokens += Math.floor(random() * 50);
      const samples = [
        { name: "vllm:generation_tokens", type: "counter", value: tokens },
        { name: "vllm:num_requests_running", value: Math.floor(random() * 8) },
      ] as const;
      if (outcome !== undefined) builder.scrape(time, outcome === "up" ? samples : outcome, urls[e]);
    }
  });
  const { run } = builder.window(0, SECONDS);
  const marks = [4 + random() * 10, 20 + random() * 10];
  for (const [i, at] of marks.entries())
    run.addMark({ time: epochNs(ORIGIN + BigInt(Math.round(at * SECOND))), label: `mark "${i}" of seed ${seed}` });
  return { run, turn };
}

/** What a header says of endpoints and marks, its times in seconds since the first scrape. */
function shown({ endpoints, marks, originNs }: RunHeader): Record<"endpoints" | "marks", unknown> {
  const at = (offset: number) => Number(BigInt(originNs) + BigInt(Math.round(offset)) - ORIGIN) / SECOND;
  return {
    marks: marks.map(({ time, label }) => [at(time), label]),
    endpoints: Object.fromEntries(
      endpoints.map(({ url, state, answeredUntil, failures }) => [
        FATES[urls.indexOf(url)],
        // Files do not count the scrapes of one that never answered.
        answeredUntil === undefined
          ? [state, ...(state === "failing" ? [] : [failures])]
          : [state, failures, at(answeredUntil)],
      ]),
    ),
  };
}

function slicesOf(families: readonly FamilyResult[]) {
  return families.flatMap(({ name, series }) =>
    series.map(({ endpointUrl, slices = [] }) => ({
      series: `${name} of ${endpointUrl}`,
      slices: slices.map((slice) => Object.values(slice).map((value) => Number(Number(value).toPrecision(9)))),
    })),
  );
}

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "server-metrics-one-view-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each([1, 2, 3, 4])("run %i", (seed) => {
  const { run, turn } = generatedRun(seed);
  const directory = () => join(folder, String(seed));
  beforeAll(() => exportArtifacts(run, { directory: directory(), formats: FORMATS, verify: false }));

  it("tells in memory what its servers came to", () => {
    const { endpoints } = shown(savedHeader(run, []));
    expect(endpoints).toMatchObject({
      "answers to the end": ["up", 0],
      "fails for a while": ["up", 4],
      dies: ["failing", SECONDS - turn + 1, about(turn - 1)],
      "dies at the very end": ["failing", 1, about(SECONDS - 1)],
      "is removed": ["recorded", 0, about(turn - 1)],
      "fails, and is removed later": ["recorded", 1, about(turn - 1)],
      "never answers": ["failing"],
    });
  });

  it.each(FORMATS)("has the same endpoints, marks and slices from its %s", async (format) => {
    const opened = await openArtifact(join(directory(), `server_metrics_export.${format}`));
    if (opened.kind === "snapshot") throw new Error("one scrape");
    const header =
      opened.kind === "samples"
        ? savedHeader(opened.run, [])
        : storedHeader(new StoredRun(opened.statistics), [], { format, path: "", bytes: 0, siblings: [] });
    expect(shown(header)).toEqual(shown(savedHeader(run, [])));
    const families =
      opened.kind === "samples"
        ? complete(statisticsByPhase(opened.run, { unitOf })).families
        : opened.statistics.families;
    expect(slicesOf(families)[0]?.slices).toHaveLength(SECONDS / 5);
    expect(slicesOf(families)).toEqual(slicesOf(complete(statisticsByPhase(run, { unitOf })).families));
  });
});
