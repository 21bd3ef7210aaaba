import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runCli } from "../support/cli.js";
import { startFleet } from "../support/fleet.js";

interface Artifact {
  readonly summary: { readonly endpoint_info: Readonly<Record<string, { readonly total_fetches: number }>> };
  readonly metrics: Readonly<Record<string, { readonly series: readonly unknown[] }>>;
}

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "server-metrics-fleet-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/*
 * How many ticks are missed, and what a scrape costs, is measured: `npm run bench -- collect 60 20`. When ticks are due
 * is tested by a clock that the test moves.
 */
it.each([
  [20, 300],
  [200, 30],
])(
  "the command line captures %i endpoints, with no word on standard error but about these",
  async (endpoints, series) => {
    const fleet = await startFleet(endpoints, series);
    try {
      const out = path.join(dir, String(endpoints));
      const { code, stderr } = await runCli([
        "capture",
        ...fleet.urls.flatMap((url) => ["--url", url]),
        ...["--duration", "2", "--out", out, "--formats", "json", "--summary", "none"],
      ]);
      // Where the machine is busy with other things, scrapes fail, take long or are missed, which is said of each.
      const expected = /^(?:warning|note): (?:A scrape of |Scrapes of )?127\.0\.0\.1:\d+/;
      expect(stderr.split("\n").filter((line) => !expected.test(line))).toEqual([
        `${endpoints}/${endpoints} endpoints reachable`,
        "",
      ]);
      expect(code).toBe(0);
      const { summary, metrics } = JSON.parse(
        await readFile(path.join(out, "server_metrics_export.json"), "utf8"),
      ) as Artifact;
      expect(Object.keys(summary.endpoint_info).sort()).toEqual([...fleet.urls].sort());
      // The baseline and the final scrape at least.
      for (const { total_fetches } of Object.values(summary.endpoint_info)) expect(total_fetches).toBeGreaterThan(1);
      const kept = Object.values(metrics).flatMap((family) => family.series);
      expect(kept).toHaveLength(endpoints * series);
    } finally {
      fleet.close();
    }
  },
);
