import { describe, expect, it } from "vitest";
import {
  displayNameOf,
  displayUnit,
  formatValue,
  scrapeTimeText,
  splitValue,
} from "../../../../src/core/catalog/index.js";

describe("displayNameOf", () => {
  it.each([
    ["vllm:num_requests_running", "VLLM | Num Requests Running"],
    ["vllm:e2e_request_latency_seconds", "VLLM | E2E Request Latency Seconds"],
    ["vllm:kv_cache_usage_perc", "VLLM | KV Cache Usage Perc"],
    ["sglang:token_usage", "Sglang | Token Usage"],
    ["DCGM_FI_DEV_GPU_UTIL", "DCGM Fi Dev GPU Util"],
    ["process_open_fds", "Process Open FDS"],
    ["plain", "Plain"],
  ])("%s → %s", (name, display) => {
    expect(displayNameOf(name)).toBe(display);
  });
});

describe("formatValue", () => {
  it.each([
    [NaN, "seconds", "–"],
    [Infinity, "seconds", "∞"],
    [0, "seconds", "0 s"],
    [0, undefined, "0"],
    [0.01234, "seconds", "12.3 ms"],
    [0.0000456, "seconds", "45.6 µs"],
    [3e-9, "seconds", "3 ns"],
    [0.99996, "seconds", "1 s"],
    [9.876, "seconds", "9.88 s"],
    [90, "seconds", "90 s"],
    [123, "seconds", "123 s"],
    [599, "seconds", "599 s"],
    [3600, "seconds", "60 min"],
    [1.7e308, "seconds", "1.7e308 s"],
    [1.7e308, "tokens", "1.7e308 tokens"],
    [1.7e308, "bytes", "1.7e308 B"],
    [3.2e13, undefined, "32 T"],
    [12.3, "milliseconds", "12.3 ms"],
    [2500, "milliseconds", "2.5 s"],
    [250, "microseconds", "250 µs"],
    [-0.25, "seconds", "−250 ms"],
    [0.4567, "ratio", "45.7 %"],
    [45.67, "percent", "45.7 %"],
    [512, "bytes", "512 B"],
    [1536, "bytes", "1.5 KiB"],
    [1024, "bytes", "1 KiB"],
    [1024 ** 3, "bytes", "1 GiB"],
    [1023.9 * 1024 ** 2, "bytes", "1 GiB"],
    [3.2 * 1024 ** 3, "bytes", "3.2 GiB"],
    [81559, "megabytes", "81.6 GB"],
    [31, "requests", "31 requests"],
    [1234, "tokens", "1,234 tokens"],
    [1234.5, "tokens/s", "1,235 tokens/s"],
    [45678, "tokens/s", "45.7 k tokens/s"],
    [3.5, "count", "3.5"],
    [7.5, "count/s", "7.5/s"],
    [61.5, "celsius", "61.5 °C"],
    [1980, "megahertz", "1.98 GHz"],
    [4.2, "furlongs", "4.2 furlongs"],
    [0.00001234, undefined, "1.23e-5"],
    [12_345_678, undefined, "12.3 M"],
  ])("%d %s → %s", (value, unit, text) => {
    expect(formatValue(value, unit)).toBe(text);
  });

  it("says one of a thing as a person does, and of a unit what it is", () => {
    expect([1, 2, 0.5].map((value) => formatValue(value, "requests"))).toEqual([
      "1 request",
      "2 requests",
      "0.5 requests",
    ]);
    expect(formatValue(1, "pages")).toBe("1 page");
    expect(formatValue(1, "requests/s")).toBe("1 requests/s");
    expect([formatValue(1, "seconds"), formatValue(1, "status"), formatValue(1, "series")]).toEqual([
      "1 s",
      "1 status",
      "1 series",
    ]);
    expect(splitValue(1, "requests").unit).toBe("requests");
  });

  it("takes the digits asked for", () => {
    expect(formatValue(0.0123456, "seconds", 4)).toBe("12.35 ms");
    expect(formatValue(0.0123456, "seconds", 2)).toBe("12 ms");
  });

  it("gives number and unit apart", () => {
    expect(splitValue(0.25, "ratio")).toEqual({ number: "25", unit: "%" });
  });
});

describe("scrapeTimeText", () => {
  it("has no digits of a time that only the clock has", () => {
    expect([0, 0.0999, 0.1, 12.34].map(scrapeTimeText)).toEqual([
      "less than 0.1 ms",
      "less than 0.1 ms",
      "100 µs",
      "12.3 ms",
    ]);
  });
});

describe("displayUnit", () => {
  it("knows the symbol of every unit that the unit rules give", () => {
    const words = [
      "seconds",
      "milliseconds",
      "microseconds",
      "nanoseconds",
      "bytes",
      "kilobytes",
      "megabytes",
      "gigabytes",
      "terabytes",
      "ratio",
      "percent",
    ];
    const more = [
      "celsius",
      "fahrenheit",
      "kelvin",
      "hertz",
      "megahertz",
      "gigahertz",
      "watt",
      "milliwatt",
      "joule",
      "millijoule",
      "megajoule",
      "gb/s",
      "mb/s",
    ];
    for (const unit of [...words, ...more]) expect(displayUnit(unit).symbol, unit).not.toBe(unit);
  });
});
