import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { snappyCompress } from "hyparquet-writer/src/snappy.js";
import { PbfWriter } from "pbf";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { discover, fetchRun, PrometheusApi } from "../../src/stores/index.js";
import { ServerClient } from "../../src/collect/index.js";
import { encodeLabels } from "../../src/stores/remote-write/batch.js";
import { runCli } from "../support/cli.js";
import { missingPrograms, startPrometheus, type RunningStore } from "../support/stores.js";

/** A WriteRequest of a gauge and of a native histogram (`histograms = 4` of a series), at the same times. */
function request(times: readonly number[]): Uint8Array {
  const pbf = new PbfWriter();
  const series = (name: string, write: (time: number, of: PbfWriter) => void) => {
    const labels = encodeLabels([
      ["__name__", name],
      ["instance", "gpu-1:8000"],
      ["job", "native"],
    ]);
    pbf.writeMessage(
      1,
      (_, of) => {
        for (const label of labels) of.writeBytesField(1, label);
        for (const time of times) write(time, of);
      },
      null,
    );
  };
  const nested = (of: PbfWriter, field: number, write: (inner: PbfWriter) => void) =>
    of.writeMessage(field, (_, inner) => write(inner), null);
  series("queue_depth", (time, of) =>
    nested(of, 2, (sample) => {
      sample.writeDoubleField(1, 3);
      sample.writeVarintField(2, time);
    }),
  );
  series("latency_seconds", (time, of) =>
    nested(of, 4, (histogram) => {
      histogram.writeVarintField(1, 2);
      histogram.writeDoubleField(3, 1.5);
      histogram.writeSVarintField(4, 0);
      histogram.writeDoubleField(5, 0.001);
      histogram.writeVarintField(6, 1);
      nested(histogram, 11, (span) => {
        span.writeSVarintField(1, 0);
        span.writeVarintField(2, 1);
      });
      histogram.writePackedSVarint(12, [1]);
      histogram.writeVarintField(15, time);
    }),
  );
  return snappyCompress(pbf.finish());
}

const missing = await missingPrograms("prometheus");
const what = "native histograms of a Prometheus";
describe.skipIf(missing.length > 0)(missing.length > 0 ? `${what} (not installed: ${missing.join()})` : what, () => {
  let prometheus: RunningStore;
  let dir: string;
  const endMs = Date.now();
  const times = [3, 2, 1].map((seconds) => endMs - seconds * 1000);
  beforeAll(async () => {
    dir = await mkdtemp(path.join(tmpdir(), "server-metrics-native-"));
    prometheus = await startPrometheus({ features: ["native-histograms"] });
    const response = await fetch(`${prometheus.url}/api/v1/write`, {
      method: "POST",
      headers: {
        "content-type": "application/x-protobuf",
        "content-encoding": "snappy",
        "x-prometheus-remote-write-version": "0.1.0",
      },
      body: Buffer.from(request(times)),
    });
    expect(response.status, await response.text()).toBe(204);
  });
  afterAll(async () => {
    await prometheus.close();
    await rm(dir, { recursive: true, force: true });
  });

  it("are named as left out, and what is beside them is read", async () => {
    const out = path.join(dir, "run");
    const { code, stderr } = await runCli([
      ...["fetch", "--prometheus", prometheus.url, "--match", '{job="native"}', "--last", "1m"],
      ...["--out", out, "--formats", "jsonl"],
    ]);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("Native histograms are left out: latency_seconds.");
    expect(stderr).toContain("always_scrape_classic_histograms");
  });

  it("are named by range selectors too, where remote read is not offered", async () => {
    const real = new PrometheusApi(new ServerClient({ url: prometheus.url, enabled: true }));
    const api = new (class extends PrometheusApi {
      override remoteRead() {
        return Promise.resolve(undefined);
      }
    })(new ServerClient({ url: prometheus.url, enabled: true }));
    const range = { startMs: endMs - 60_000, endMs };
    const selectors = ['{job="native"}'];
    const found = await discover(real, selectors, range);
    const { run, problems } = await fetchRun(api, found, { selectors, range, sliceDurationSeconds: 5 });
    expect(run.store.families().map(({ name }) => name)).toEqual(["queue_depth"]);
    expect(problems.map(({ reason }) => reason)).toContainEqual("Native histograms are left out: latency_seconds.");
  });
});
