import { describe, expect, it } from "vitest";
import { displayName } from "../../../src/core/model/index.js";
import {
  candidateUrls,
  normalizeUrl,
  parseEndpointUrl,
  prometheusFallbackUrl,
  redactUrl,
  validateUrl,
} from "../../../src/collect/url.js";

describe("normalizeUrl", () => {
  it.each([
    ["localhost:8000", "http://localhost:8000/metrics"],
    ["  http://localhost:8000/  ", "http://localhost:8000/metrics"],
    ["https://gpu.example/metrics/", "https://gpu.example/metrics"],
    ["localhost:8000/v1", "http://localhost:8000/v1"],
    ["localhost:8000/custom-metrics//", "http://localhost:8000/custom-metrics"],
    ["HTTP://LocalHost:8000/Metrics", "http://localhost:8000/Metrics"],
    ["[::1]:8000", "http://[::1]:8000/metrics"],
    ["[fe80::1%eth0]:8000", "http://fe80--1seth0.ipv6-literal.net:8000/metrics"],
    ["http://bob@[FE80::A%25enP2]/x", "http://fe80--asenp2.ipv6-literal.net/x"],
    ["http://a/[fe80::1%25eth0]", "http://a/[fe80::1%25eth0]"],
    ["localhost:8000/metrics?name=a&x=1#top", "http://localhost:8000/metrics?name=a&x=1"],
    ["localhost:8000?token=t", "http://localhost:8000/metrics?token=REDACTED"],
    ["http://user:secret@localhost:8000", "http://localhost:8000/metrics"],
  ])("%s → %s", (text, url) => {
    expect(normalizeUrl(text)).toBe(url);
  });
});

describe("validateUrl", () => {
  it.each(["localhost:8000", "https://a.b.c/x/metrics", "[::1]:9", "user:pa%ss@host", "10.0.0.1"])(
    "takes %s",
    (text) => {
      expect(validateUrl(text)).toBeUndefined();
    },
  );

  it.each([
    ["", /Type the URL/],
    ["8000", /localhost:8000/],
    ["ftp://host", /http or https, not ftp/],
    ["file:///etc/passwd", /not file/],
    ["http:/host", /two slashes/],
    ["http://", /host is missing/],
    ["http:///metrics", /host is missing/],
    ["localhost:80a0", /"80a0" is not a port/],
    ["localhost:70000", /from 1 to 65535/],
    ["a b", /no spaces/],
    ["http://ho%st", /is not a URL/],
  ])("refuses %j in words", (text, words) => {
    expect(validateUrl(text)).toMatch(words);
  });

  it.each(["http://user:hunter2@ho%st", "http://user:hunter2/x@host", "user:hunter2?@host"])(
    "does not repeat credentials: %s",
    (text) => {
      expect(validateUrl(text)).toBeDefined();
      expect(validateUrl(text)).not.toContain("hunter2");
      expect(redactUrl(text)).not.toContain("hunter2");
    },
  );
});

describe("credentials", () => {
  it("move from the URL to an Authorization header", () => {
    const { url, authorization } = parseEndpointUrl("http://us%40er:p%3Aw@host:1");
    expect(url).toBe("http://host:1/metrics");
    expect(authorization).toBe(`Basic ${Buffer.from("us@er:p:w").toString("base64")}`);
    expect(parseEndpointUrl("host:1")).toEqual({ url: "http://host:1/metrics" });
    expect(parseEndpointUrl("host:1?a=1&token=t#2")).toEqual({
      url: "http://host:1/metrics?a=1&token=REDACTED#2",
      search: "?a=1&token=t",
    });
  });

  it.each([
    ["http://user:pw@host/metrics?a=b@c", "http://host/metrics?a=b@c"],
    ["user:p@ss@host:1/x", "host:1/x"],
    ["http://host/a@b", "http://host/a@b"],
    ["host:8000", "host:8000"],
    ["http://host/?to\tken=abc", "http://host/?token=REDACTED"],
  ])("redactUrl(%s) = %s", (text, redacted) => {
    expect(redactUrl(text)).toBe(redacted);
  });
});

it.each([
  ["http://localhost:8000/metrics", "localhost:8000"],
  ["https://host/a/b/metrics?x=1", "host/a/b"],
  ["http://localhost:8000/prometheus/metrics", "localhost:8000/prometheus"],
  ["http://localhost:8000/custom-metrics", "localhost:8000/custom-metrics"],
])("displayName(%s) = %s", (url, name) => {
  expect(displayName(url)).toBe(name);
});

it("discovery tries below a path before the path itself", () => {
  expect(candidateUrls("http://h/v1?a=1")).toEqual([
    "http://h/v1/metrics?a=1",
    "http://h/v1?a=1",
    "http://h/metrics?a=1",
  ]);
  expect(candidateUrls("http://h/llm/v1/chat/completions").at(-1)).toBe("http://h/llm/metrics");
  expect(candidateUrls("http://h/custom-metrics")).toEqual([
    "http://h/custom-metrics/metrics",
    "http://h/custom-metrics",
  ]);
  expect(candidateUrls("http://h/metrics")).toEqual(["http://h/metrics"]);
});

it("discovery looks for TensorRT-LLM's exposition only where there is a /metrics to replace", () => {
  expect(prometheusFallbackUrl("http://h/x/metrics?a=1")).toBe("http://h/x/prometheus/metrics?a=1");
  expect(prometheusFallbackUrl("http://h/prometheus/metrics")).toBeUndefined();
  expect(prometheusFallbackUrl("http://h/custom-metrics")).toBeUndefined();
});
