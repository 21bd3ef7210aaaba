import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runEntries, StoredRun, type ResultEntry } from "../../../src/core/query/index.js";
import { exportArtifacts } from "../../../src/files/index.js";
import { openArtifact } from "../../../src/files/open/index.js";
import { query } from "../../support/duckdb.js";
import { RunBuilder } from "../../support/run-builder.js";

const LABELS = ["value", "label_value", "unit", "count", "sum", "avg", "bucket_le", "description", "Metric", "label_x"];

it("labels that are called as a column keep their series apart, in every format", async () => {
  const builder = new RunBuilder();
  const same = { count: "1" };
  const gauges = LABELS.map((label) => ({ name: "f", type: "gauge" as const, labels: { [label]: label }, value: 1 }));
  const histogram = (text: string, n: number) => ({
    name: "h",
    labels: { ...same, sum: text },
    buckets: { "1": n, "2": n, "+Inf": n },
    sum: n,
    count: n,
  });
  for (let i = 0; i < 5; i++) builder.scrape(i, [...gauges, histogram("a", i), histogram("b", 2 * i)]);
  const { run } = builder.window(0, 4);
  const directory = await mkdtemp(join(tmpdir(), "server-metrics-labels-"));
  try {
    await exportArtifacts(run, { directory, formats: ["json", "csv", "jsonl", "parquet"], verify: true });
    const seriesOf = (entries: Iterable<ResultEntry>) =>
      [...entries].map(({ key }) => `${key.family.name} ${JSON.stringify(key.labels)}`).sort();
    const expected = seriesOf(runEntries(run));
    expect(new Set(expected).size).toBe(LABELS.length + 2);
    for (const format of ["json", "csv", "jsonl", "parquet"]) {
      const opened = await openArtifact(join(directory, `server_metrics_export.${format}`));
      if (opened.kind === "snapshot") throw new Error("one scrape");
      const entries = opened.kind === "samples" ? runEntries(opened.run) : runEntries(new StoredRun(opened.statistics));
      expect(seriesOf(entries), format).toEqual(expected);
    }
    const [row] = await query(
      `select label_value, label_label_value from '${join(directory, "server_metrics_export.parquet")}' where label_value is not null`,
    );
    expect(row).toEqual({ label_value: "value", label_label_value: null });
    const csv = await readFile(join(directory, "server_metrics_export.csv"), "utf8");
    for (const line of csv.split("\r\n").filter((text) => text.startsWith("Endpoint,"))) {
      const columns = line.split(",");
      expect(new Set(columns).size, line).toBe(columns.length);
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
