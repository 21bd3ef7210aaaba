import { describe, expect, it } from "vitest";
import { formatScrapeLogLine, parseScrapeLogLine, type RecordedScrape } from "../../../../src/core/artifacts/index.js";
import { durationNs, epochNs } from "../../../../src/core/model/index.js";

const SCRAPE: RecordedScrape = {
  url: 'http://a/metrics?"q"',
  time: epochNs(1_765_000_000_123_456_789n),
  latency: durationNs(5_290_244),
  status: 200,
  contentType: "text/plain; version=0.0.4",
  body: 'm{a="\\n"} 1\n# "t_ns": 1765000000123456001\n',
};

describe("a scrape log's line", () => {
  it("reads back as it was written, to the nanosecond", () => {
    expect(parseScrapeLogLine(formatScrapeLogLine(SCRAPE))).toEqual(SCRAPE);
  });

  it("says which field keeps a line from being one", () => {
    expect(() => parseScrapeLogLine('{"endpoint_url":"x"}')).toThrow('"url" is missing or of the wrong type');
    expect(() => parseScrapeLogLine("[]")).toThrow(/not a JSON object/);
    expect(() => parseScrapeLogLine("7")).toThrow(/not a JSON object/);
  });
});
