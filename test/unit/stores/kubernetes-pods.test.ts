import type { V1Pod } from "@kubernetes/client-node";
import { describe, expect, it } from "vitest";
import { podEndpoints } from "../../../src/kubernetes/pods.js";

interface Facts {
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly image?: string;
  readonly ports?: { name?: string; containerPort: number }[];
  readonly ip?: string;
  readonly phase?: string;
}

function pod({ labels, annotations, image = "nginx", ports = [{ containerPort: 8000 }], ...rest }: Facts): V1Pod {
  const { ip = "10.0.0.1", phase = "Running" } = rest;
  return {
    metadata: {
      name: "p",
      namespace: "ml",
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: { containers: [{ name: "c", image, ports }] },
    status: { phase, ...(ip === "" ? {} : { podIP: ip }) },
  };
}

const urls = (facts: Facts, chosen = false) => podEndpoints([pod(facts)], chosen).endpoints.map(({ url }) => url);
const PLAIN = ["http://10.0.0.1:8000/metrics"];

describe("a pod is eligible", () => {
  it.each<[string, Facts, readonly string[]]>([
    ["by its label, in any case", { labels: { "nvidia.com/metrics-enabled": "True" } }, PLAIN],
    ["not by a label that says no", { labels: { "nvidia.com/metrics-enabled": "false" } }, []],
    ["by paths that are named", { annotations: { "aiperf.nvidia.com/metrics-paths": "/metrics" } }, PLAIN],
    ["not by empty paths", { annotations: { "aiperf.nvidia.com/metrics-paths": " " } }, []],
    ["not by prometheus.io/scrape", { annotations: { "prometheus.io/scrape": "true" } }, []],
    ["by its image", { image: "docker.io/vLLM/vllm-openai:v0.11" }, PLAIN],
    ["by an image of Triton", { image: "nvcr.io/nvidia/tritonserver:25.01" }, PLAIN],
    ["not while it does not run", { image: "sglang", phase: "Pending" }, []],
    ["not without an address", { image: "sglang", ip: "" }, []],
    ["not without a port", { image: "sglang", ports: [] }, []],
  ])("%s", (_, facts, expected) => {
    expect(urls(facts)).toEqual(expected);
  });

  it("by a selector", () => {
    expect(urls({}, true)).toEqual(PLAIN);
    expect(urls({}, false)).toEqual([]);
  });
});

describe("its URL", () => {
  it.each<[string, Facts, readonly string[]]>([
    [
      "takes the annotated port first",
      { annotations: { "prometheus.io/port": "9000" }, ports: [{ name: "metrics", containerPort: 1 }] },
      ["http://10.0.0.1:9000/metrics"],
    ],
    [
      "else the port named metrics",
      {
        annotations: { "prometheus.io/port": "http" },
        ports: [{ containerPort: 1 }, { name: "metrics", containerPort: 2 }],
      },
      ["http://10.0.0.1:2/metrics"],
    ],
    [
      "takes the annotated scheme",
      { annotations: { "prometheus.io/scheme": "https" } },
      ["https://10.0.0.1:8000/metrics"],
    ],
    ["takes the annotated path", { annotations: { "prometheus.io/path": "m" } }, ["http://10.0.0.1:8000/m"]],
    [
      "takes all listed paths over that, without duplicates, sorted",
      { annotations: { "aiperf.nvidia.com/metrics-paths": " /b, a ,,/b", "prometheus.io/path": "/c" } },
      ["http://10.0.0.1:8000/a", "http://10.0.0.1:8000/b"],
    ],
    ["puts IPv6 into brackets", { ip: "fd00::1" }, ["http://[fd00::1]:8000/metrics"]],
  ])("%s", (_, facts, expected) => {
    expect(urls(facts, true)).toEqual(expected);
  });
});

describe("an annotation names no other server", () => {
  it.each<[string, Facts]>([
    ["a scheme with a host", { annotations: { "prometheus.io/scheme": "http://127.0.0.1:22061/steal?" } }],
    ["a scheme that is not of the web", { annotations: { "prometheus.io/scheme": "gopher" } }],
    ["a port that is none", { annotations: { "prometheus.io/port": "80000000" } }],
    ["an address with a host", { ip: "10.0.0.1@127.0.0.1" }],
    ["an address that is a name", { ip: "evil.example" }],
  ])("%s", (_, facts) => {
    const { endpoints, refused } = podEndpoints([pod(facts), pod({ ip: "10.0.0.2" })], true);
    // The others are there all the same.
    expect(endpoints.map(({ url }) => url)).toEqual(["http://10.0.0.2:8000/metrics"]);
    expect(refused).toEqual([expect.stringMatching(/^Pod ml\/p is left out: /)]);
  });

  it.each(["@127.0.0.1:22061/m", "//127.0.0.1/m", "\\\\127.0.0.1\\m", "/m#@127.0.0.1", "?a=b", "m?a=http://x/"])(
    "a path of %j",
    (path) => {
      const [url = ""] = urls({ annotations: { "prometheus.io/path": path } }, true);
      expect(new URL(url).origin).toBe("http://10.0.0.1:8000");
      expect(new URL(url).username).toBe("");
    },
  );
});
