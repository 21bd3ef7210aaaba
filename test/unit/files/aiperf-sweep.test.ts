import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sweepFolder } from "../../../src/files/library/library.js";
import { describeReal } from "../../support/real-runs.js";

describeReal("AIPerf's sweeps", (directory) => {
  const sweep = join(directory, "aiperf", "sweep");
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "server-metrics-sweep-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const pointsOf = async (path: string) =>
    (await sweepFolder(path)).series.flatMap(({ points }) =>
      points.map(({ load, latency, throughput }) => [load?.value ?? NaN, latency.value, throughput.value]),
    );

  it("are read from AIPerf's means where their runs are not there", async () => {
    const runs = await pointsOf(join(sweep, "profile_runs"));
    expect(runs).toHaveLength(3);
    const aggregate = join(folder, "means", "aggregate");
    await cp(join(sweep, "aggregate"), aggregate, { recursive: true });
    const close = runs.map((point) => point.map((value) => expect.closeTo(value, 9) as number));
    expect(await pointsOf(join(folder, "means"))).toEqual(close);
    await rm(join(aggregate, "sweep_aggregate"), { recursive: true });
    expect(await pointsOf(join(folder, "means"))).toEqual(close);
  });

  it("have a series for each setting beside the load, and the load of their configuration", async () => {
    const server = join(sweep, "profile_runs/trial_0001/concurrency_1/server_metrics_export.json");
    const place = async (name: string) => {
      await mkdir(join(folder, "cells", name), { recursive: true });
      await cp(server, join(folder, "cells", name, "server_metrics_export.json"));
    };
    for (const name of ["concurrency_1__isl_128", "concurrency_10__isl_128", "concurrency_10__isl_512", "own"])
      await place(name);
    const config = { cfg: { phases: [{ name: "profiling", concurrency: 12 }] } };
    await writeFile(join(folder, "cells", "own", "run_config.json"), JSON.stringify(config));
    const { series } = await sweepFolder(join(folder, "cells"));
    expect(series.map(({ configuration, points }) => [configuration, points.map(({ load }) => load?.value)])).toEqual([
      ["isl_128", [1, 10]],
      ["isl_512", [10]],
      ["own", [12]],
    ]);
  });
});
