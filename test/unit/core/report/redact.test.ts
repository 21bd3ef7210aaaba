import { describe, expect, it } from "vitest";
import { redacted, revealedBy } from "../../../../src/core/report/index.js";

const REPORT = {
  about: { title: "acme nightly", files: [{ name: "acme.jsonl" }] },
  header: {
    label: "acme nightly",
    file: { path: "/srv/mia/acme.jsonl" },
    endpoints: [{ url: "http://gpu-7.acme.internal:8000/metrics", displayName: "gpu-7.acme.internal:8000" }],
  },
  series: [
    {
      family: "vllm:kv",
      endpointUrl: "http://gpu-7.acme.internal:8000/metrics",
      labels: [
        ["engine", "0"],
        ["finished_reason", "stop"],
        ["model_name", "acme/secret-8b"],
        ["instance", "10.1.2.3:8000"],
      ],
    },
  ],
  findings: [{ text: "The queue of gpu-7.acme.internal:8000 grew; acme/secret-8b was read from /data/models/secret." }],
  values: Float64Array.of(1, 2),
};

describe("what a report reveals", () => {
  it("is found wherever it stands", () => {
    const { hosts, paths, labels } = revealedBy(REPORT);
    expect(hosts).toEqual(["gpu-7.acme.internal", "10.1.2.3"]);
    expect(paths).toEqual(["/srv/mia/acme.jsonl", "/data/models/secret"]);
    expect(labels).toEqual(["name=acme nightly", "model_name=acme/secret-8b"]);
  });

  it("is replaced everywhere by one name, in texts too", () => {
    const hidden = redacted(REPORT, ["hosts", "paths", "labels"]);
    const text = JSON.stringify(hidden);
    for (const secret of ["acme", "gpu-7", "10.1.2.3", "mia", "secret"]) expect(text).not.toContain(secret);
    expect(hidden.findings[0]?.text).toBe("The queue of host-1:8000 grew; model_name-1 was read from path-2.");
    expect(hidden.about).toEqual({ title: "name-1", files: [{ name: "path-1.jsonl" }] });
    expect(hidden.header.endpoints[0]?.url).toBe("http://host-1:8000/metrics");
  });

  it("leaves what servers say of themselves, numbers, and what is not to be hidden", () => {
    const hidden = redacted(REPORT, ["hosts"]);
    expect(hidden.values).toBe(REPORT.values);
    expect(hidden.series[0]?.labels.slice(0, 3)).toEqual(REPORT.series[0]?.labels.slice(0, 3));
    expect(hidden.about.title).toBe("acme nightly");
  });

  it("does not rename metrics by a label that begins like them", () => {
    const series = [
      {
        family: "vllm:kv",
        labels: [
          ["server", "x"],
          ["engine_type", "vllm"],
        ],
      },
    ];
    expect(redacted(series, ["labels"])[0]?.family).toBe("vllm:kv");
  });

  it("keeps the addresses that every machine has", () => {
    expect(revealedBy({ url: "http://localhost:8000/metrics" }).hosts).toEqual([]);
  });
});
