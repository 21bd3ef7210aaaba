import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ARTIFACT_FORMATS } from "../../src/core/artifacts/index.js";
import { exportArtifacts } from "../../src/files/index.js";
import { compareArtifact } from "../support/compare-artifacts.js";
import { compareParquetMetadata, parquetMetadata } from "../support/compare-parquet.js";
import { describeConformance } from "../support/conformance.js";
import { conformanceCases, replayCase } from "../support/replay.js";

describeConformance(
  "artifacts of a replayed scrape log are the reference's, but for the listed deviations",
  (directory) => {
    const cases = conformanceCases(directory);

    it("finds cases", () => {
      expect(cases.length).toBeGreaterThan(0);
    });

    describe.each(cases)("$name", (conformanceCase) => {
      let out: string;

      beforeAll(async () => {
        out = await mkdtemp(join(tmpdir(), "server-metrics-conformance-"));
        await exportArtifacts(await replayCase(conformanceCase), {
          directory: out,
          formats: ARTIFACT_FORMATS,
          verify: true,
        });
      });
      afterAll(() => rm(out, { recursive: true, force: true }));

      it.each(ARTIFACT_FORMATS)("%s", async (format) => {
        const { compared, differences } = await compareArtifact(format, out, conformanceCase);
        expect(differences).toEqual([]);
        expect(compared).toBeGreaterThan(50);
      });

      it("parquet metadata", async () => {
        const { compared, differences } = await compareParquetMetadata(
          join(out, "server_metrics_export.parquet"),
          join(conformanceCase.expected, "server_metrics_export.parquet"),
        );
        expect(differences).toEqual([]);
        expect(compared).toBeGreaterThanOrEqual(12);
      });

      it("metrics in the reference's order, and one id in every file", async () => {
        const json = JSON.parse(await readFile(join(out, "server_metrics_export.json"), "utf8")) as {
          benchmark_id: string;
          metrics: object;
        };
        const expected = JSON.parse(
          gunzipSync(await readFile(join(conformanceCase.expected, "server_metrics_export.json.gz"))).toString("utf8"),
        ) as { metrics: object };
        expect(Object.keys(json.metrics)).toEqual(Object.keys(expected.metrics));
        expect(json.benchmark_id).toMatch(/^[0-9a-f-]{36}$/);
        expect(await readFile(join(out, "server_metrics_export.csv"), "utf8")).toContain(
          `# benchmark_id: ${json.benchmark_id}\n`,
        );
        expect((await readFile(join(out, "server_metrics_export.jsonl"), "utf8")).split("\n")[0]).toContain(
          `"benchmark_id":"${json.benchmark_id}"`,
        );
        expect((await parquetMetadata(join(out, "server_metrics_export.parquet"))).get("aiperf.benchmark_id")).toBe(
          json.benchmark_id,
        );
      });
    });
  },
);
