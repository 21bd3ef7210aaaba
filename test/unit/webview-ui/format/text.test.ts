import { describe, expect, it } from "vitest";
import { makeLabels } from "../../../../src/core/model/index.js";
import { distinguishingNames, narrowNames, shortHosts } from "../../../../webview-ui/format/text.js";

const series = (endpointUrl: string, ...pairs: [string, string][]) => ({ endpointUrl, labels: makeLabels(pairs) });

describe("names of series shown together", () => {
  it("say only what differs", () => {
    expect(
      distinguishingNames([
        series("http://a:1/metrics", ["model", "m"], ["reason", "stop"]),
        series("http://a:1/metrics", ["model", "m"], ["reason", "length"]),
      ]),
    ).toEqual(["reason=stop", "reason=length"]);
  });

  it("say the endpoint when there are several, and labels that some lack", () => {
    expect(distinguishingNames([series("http://a:1/metrics", ["x", "1"]), series("http://b:1/metrics")])).toEqual([
      "a:1 x=1",
      "b:1",
    ]);
  });

  it("call endpoints as the settings do, with their hosts where two are called the same", () => {
    const [a, b, c] = ["http://a:1/metrics", "http://b:1/metrics", "http://c:1/metrics"];
    const three = [series(a), series(b), series(c)];
    expect(distinguishingNames(three, [{ url: a, label: "prefill" }, { url: b }])).toEqual(["prefill", "b:1", "c:1"]);
    const alike = [a, b].map((url) => ({ url, label: "decode" }));
    expect(distinguishingNames(three, alike)).toEqual(["decode (a:1)", "decode (b:1)", "c:1"]);
  });

  it("leave out UUIDs and bus addresses where something readable tells the series apart, too", () => {
    const gpu = (index: number, uuid: string) =>
      series(
        "http://a:9400/metrics",
        ["gpu", String(index)],
        ["UUID", `GPU-${uuid}-86f3-7a43-b7c4-5fd4f0871234`],
        ["pci_bus_id", `00000000:${index}8:00.0`],
        ["device", `nvidia${index}`],
      );
    const gpus = [gpu(0, "5fd4f087"), gpu(1, "9d4fe1ff")];
    expect(distinguishingNames(gpus)).toEqual(["device=nvidia0 gpu=0", "device=nvidia1 gpu=1"]);
    const bare = ["5fd4f087", "9d4fe1ff"].map((uuid) => series("http://a:1/metrics", ["UUID", `GPU-${uuid}`]));
    expect(distinguishingNames(bare)).toEqual(["UUID=GPU-5fd4f087", "UUID=GPU-9d4fe1ff"]);
    const pods = ["7d9f8b6c5d-x2lqk", "7d9f8b6c5d-zp8wm"].map((pod) =>
      series("http://a:1/metrics", ["pod", `decode-${pod}`], ["rank", "0"]),
    );
    expect(distinguishingNames(pods)).toEqual(["pod=decode-7d9f8b6c5d-x2lqk", "pod=decode-7d9f8b6c5d-zp8wm"]);
  });

  it("are empty for one series alone", () => {
    expect(distinguishingNames([series("http://a:1/metrics", ["x", "1"])])).toEqual([""]);
  });
});

describe("endpoints beside each other", () => {
  const short = (...hosts: readonly string[]) => {
    const urls = hosts.map((host) => `http://${host}/metrics`);
    return urls.map(shortHosts(urls));
  };

  it("lose the end that all share, never what tells them apart", () => {
    expect(short("gpu-1.cluster.local:8000", "gpu-2.cluster.local:8000")).toEqual(["gpu-1", "gpu-2"]);
    expect(short("gpu-1.cluster.local:8000", "gpu-1.cluster.local:8001")).toEqual([
      "gpu-1.cluster.local:8000",
      "gpu-1.cluster.local:8001",
    ]);
    expect(short("gpu-1.rack-3.local:8000", "gpu-1.rack-4.local:8000")).toEqual(["gpu-1.rack-3", "gpu-1.rack-4"]);
  });

  it("of one domain and several ports keep the port", () => {
    expect(short("gpu-1.cluster.local:8000", "gpu-2.cluster.local:8000", "dcgm-1.cluster.local:9400")).toEqual([
      "gpu-1:8000",
      "gpu-2:8000",
      "dcgm-1:9400",
    ]);
    expect(short("gpu-1.cluster.local:8000", "gpu-1.cluster.local:8001", "gpu-2.cluster.local:8000")).toEqual([
      "gpu-1:8000",
      "gpu-1:8001",
      "gpu-2:8000",
    ]);
  });

  it("are as they are where they are short, or alone", () => {
    expect(short("10.0.0.11:8000", "10.0.0.12:8000")).toEqual(["10.0.0.11:8000", "10.0.0.12:8000"]);
    expect(short("gpu-1.cluster.local:8000")).toEqual(["gpu-1.cluster.local:8000"]);
  });
});

describe("narrow names of runs", () => {
  it.each([
    [
      ["1500-baseline", "1500-chunked prefill"],
      ["…baseline", "…chunked prefill"],
    ],
    [
      ["qwen3 tp8 v0.11.0", "qwen3 tp8 v0.11.1"],
      ["…v0.11.0", "…v0.11.1"],
    ],
    [
      ["sweep/1500", "sweep/1500 again"],
      ["…1500", "…1500 again"],
    ],
    [
      ["main", "chunked prefill"],
      ["main", "chunked prefill"],
    ],
    [
      ["r-1", "r-2"],
      ["r-1", "r-2"],
    ],
    [
      ["a long name", "a long name"],
      ["a long name", "a long name"],
    ],
  ])("of %j are %j", (names, expected) => {
    expect(narrowNames(names)).toEqual(expected);
  });
});
