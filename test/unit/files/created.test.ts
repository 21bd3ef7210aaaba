import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { formatScrapeLogLine } from "../../../src/core/artifacts/index.js";
import { familyUnit } from "../../../src/core/catalog/index.js";
import { durationNs, epochNs, type RunStatistics } from "../../../src/core/model/index.js";
import { complete, runStatistics } from "../../../src/core/stats/index.js";
import { exportArtifacts } from "../../../src/files/index.js";
import { openArtifact } from "../../../src/files/open/index.js";
import { ORIGIN, SECOND } from "../../support/run-builder.js";

const at = (seconds: number) => epochNs(ORIGIN + BigInt(seconds * SECOND));
const written = (seconds: number) => (Number(ORIGIN) / SECOND + seconds).toFixed(6);

/** A server's page `seconds` into the run, whose server began at 2.5. What is old was counted long before. */
const PAGES = {
  "text/plain; version=0.0.4": (seconds: number) => `# TYPE jobs_total counter
jobs_total{queue="a"} ${seconds + 4}
# TYPE jobs_created gauge
jobs_created{queue="a"} ${written(2.5)}
# TYPE took_seconds histogram
took_seconds_bucket{le="1.0"} ${seconds}
took_seconds_bucket{le="+Inf"} ${2 * seconds}
took_seconds_count ${2 * seconds}
took_seconds_sum ${3 * seconds}
# TYPE took_seconds_created gauge
took_seconds_created ${written(2.5)}
# TYPE old_total counter
old_total ${100 + seconds}
# TYPE old_created gauge
old_created ${written(-86_400)}
# TYPE untold_total counter
untold_total ${100 + seconds}
`,
  "application/openmetrics-text; version=1.0.0": (seconds: number) => `# TYPE jobs counter
jobs_total{queue="a"} ${seconds + 4}
jobs_created{queue="a"} ${written(2.5)}
# TYPE took_seconds histogram
took_seconds_bucket{le="1.0"} ${seconds}
took_seconds_bucket{le="+Inf"} ${2 * seconds}
took_seconds_count ${2 * seconds}
took_seconds_sum ${3 * seconds}
took_seconds_created ${written(2.5)}
# TYPE old counter
old_total ${100 + seconds}
old_created ${written(-86_400)}
# TYPE untold counter
untold_total ${100 + seconds}
# EOF
`,
};

/** What was counted of each family, since when it was born, and what AIPerf counts. */
function counted({ families }: RunStatistics) {
  return Object.fromEntries(
    families.flatMap(({ name, series }) =>
      series.flatMap((one) => {
        if (one.kind === "gauge") return [];
        const total = one.kind === "counter" ? one.stats.total : one.stats.count;
        const theirs = one.kind === "counter" ? one.aiperf?.stats.total : one.aiperf?.stats.count;
        return [[name, { total, born: one.born, theirs }]];
      }),
    ),
  );
}

describe.each(Object.entries(PAGES))("a server that starts during the run, and tells it (%s)", (contentType, page) => {
  it.each(["whole", "part"])("counts from 0, in each file of the %s run", async (window) => {
    const directory = await mkdtemp(join(tmpdir(), "server-metrics-created-"));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const scrape = (host: string, i: number, body: string | undefined) =>
      formatScrapeLogLine({
        url: `http://${host}/metrics`,
        time: at(i),
        latency: durationNs(1000),
        status: body === undefined ? 503 : 200,
        contentType,
        body: body ?? "",
      });
    const log = join(directory, "scrapes.jsonl");
    const lines = Array.from({ length: 10 }, (_, i) => scrape("late", i, i < 3 ? undefined : page(i)));
    await writeFile(log, lines.join(""));
    const opened = await openArtifact(log);
    if (opened.kind !== "samples") throw new Error("a log has samples");
    const { run } = opened;
    run.setProfilingStart(at(window === "whole" ? 0 : 2.75));
    run.setProfilingEnd(at(9));
    await exportArtifacts(run, { directory, formats: ["json", "jsonl", "parquet"], verify: true });

    const expected = {
      jobs: { total: 13, born: at(3), theirs: 6 },
      took_seconds: { total: 18, born: at(3), theirs: 12 },
      old: { total: 6, born: undefined, theirs: undefined },
      untold: { total: 6, born: undefined, theirs: undefined },
    };
    const statistics = complete(runStatistics(run, { unitOf: familyUnit }));
    expect(counted(statistics)).toEqual(expected);
    for (const format of ["json", "jsonl", "parquet"]) {
      const read = await openArtifact(join(directory, `server_metrics_export.${format}`));
      if (read.kind === "snapshot") throw new Error("a run is no snapshot");
      const own = read.kind === "samples" ? complete(runStatistics(read.run, { unitOf: familyUnit })) : read.statistics;
      expect(counted(own), format).toEqual(expected);
      expect(read.notices, format).toEqual([]);
      const rates = ({ families }: RunStatistics) =>
        families.flatMap(({ series }) => series.flatMap((one) => (one.kind === "counter" ? [one.stats.rate] : [])));
      expect(rates(own), format).toEqual(rates(statistics));
    }
    // Only what tells a birth is kept, and never as a metric.
    const text = await readFile(join(directory, "server_metrics_export.jsonl"), "utf8");
    expect(text.match(/"metric_name":"\w+"/g)).toEqual(['"metric_name":"jobs"', '"metric_name":"took_seconds"']);
    expect(text).not.toContain("_created");
  });
});
