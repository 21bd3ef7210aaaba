import { describe, expect, it } from "vitest";
import { SETTINGS } from "../../src/extension/settings/definitions.js";
import type { Setting } from "../../src/extension/settings/setting.js";
import { contributes, manifest, sorted, sources } from "../support/manifest.js";

const { properties } = contributes.configuration;
const settings: readonly Setting<unknown>[] = Object.values(SETTINGS);

describe("settings", () => {
  it.each(settings.map((setting) => [setting.key, setting] as const))(
    "%s takes its default and has a description",
    (key, setting) => {
      const { default: byDefault, markdownDescription = "" } = properties[key]!;
      expect(markdownDescription.length).toBeGreaterThan(20);
      expect(setting.parse(byDefault)).toEqual(setting.default);
    },
  );

  it.each(
    settings.filter(({ limits }) => limits?.minimum !== undefined).map((setting) => [setting.key, setting] as const),
  )("%s refuses what lies outside its limits, naming them", (key, setting) => {
    const { minimum, maximum } = setting.limits!;
    expect(setting.parse(minimum)).toBe(minimum);
    expect(setting.parse(maximum)).toBe(maximum);
    for (const wrong of [minimum! - 1, maximum! + 1, "seven", null, NaN, undefined]) {
      expect(() => setting.parse(wrong), String(wrong)).toThrow(
        new RegExp(`${key.replaceAll(".", "\\.")} must be .*${minimum}.*${maximum}`),
      );
    }
  });

  it.each(
    settings.filter(({ limits }) => limits?.isDuration === true).map((setting) => [setting.key, setting] as const),
  )("%s takes a number or a time with a unit, in the field and when read", (key, setting) => {
    const { type, pattern } = properties[key]!;
    expect(type).toEqual(["number", "string"]);
    expect([1, "1", "1s", "1000ms"].map((value) => setting.parse(value))).toEqual([1, 1, 1, 1]);
    for (const text of ["1s", "333ms", "1.5 min"]) expect(text).toMatch(new RegExp(pattern!, "u"));
    for (const text of ["", "1 day", "ms", "-1s"]) {
      expect(text).not.toMatch(new RegExp(pattern!, "u"));
      expect(() => setting.parse(text)).toThrow(/ must be a number of .* or a time such as 333ms/);
    }
  });

  it("say what each of their values means", () => {
    const { source } = properties["serverMetrics.endpoints"]?.items?.properties ?? {};
    for (const schema of [source!, ...Object.values(properties).flatMap((one) => [one, one.items ?? {}])])
      expect(schema.enumDescriptions?.length).toBe(schema.enum?.length);
  });

  it.each([
    "localhost:8000",
    "http://localhost:8000/metrics",
    "https://gpu-1.example:30000/v1",
    "10.0.0.7:8081",
    "[::1]:8000",
    "host",
    "http://h/prometheus/metrics?x=1",
  ])("take the URL %s in the field and when read", (url) => {
    const { pattern } = properties["serverMetrics.endpoints"]!.items!.properties!["url"]!;
    expect(url).toMatch(new RegExp(pattern!, "u"));
    expect(SETTINGS.endpoints.parse([{ url }])).toEqual([{ url, enabled: true }]);
  });

  it.each(["", "ftp://host/metrics", "8000", "two words", "http://"])(
    "refuse the URL %j in the field and when read",
    (url) => {
      const { pattern } = properties["serverMetrics.endpoints"]!.items!.properties!["url"]!;
      expect(url).not.toMatch(new RegExp(pattern!, "u"));
      expect(() => SETTINGS.endpoints.parse([{ url: "localhost:1" }, { url }])).toThrow(
        /serverMetrics\.endpoints, entry 2: /,
      );
    },
  );

  it.each([
    ["0", true],
    ["12.5", true],
    ["30s", true],
    ["2 m", true],
    ["manual", true],
    ["-1", false],
    ["1 min", true],
    ["1 day", false],
    ["", false],
    [" 30 ", true],
  ])("judge the warm-up %j alike in the field and when read", (text, valid) => {
    expect(new RegExp(properties["serverMetrics.warmup"]!.pattern!, "u").test(text)).toBe(valid);
    if (valid) expect(SETTINGS.warmup.parse(text)).toBe(text);
    else expect(() => SETTINGS.warmup.parse(text)).toThrow(/serverMetrics\.warmup must be/);
  });

  it.each([
    ["batch-64", true],
    ["", true],
    ["../elsewhere", false],
    ["a/b", false],
    ["a\\b", false],
  ])("takes the prefix %j as a part of a file name: %s", (text, valid) => {
    if (valid) expect(SETTINGS.prefix.parse(text)).toBe(text);
    else expect(() => SETTINGS.prefix.parse(text)).toThrow(/serverMetrics\.prefix must be a part of a file name/);
  });

  it("say which assertion cannot be read, and where", () => {
    const key = "serverMetrics.assertions";
    expect(SETTINGS.assertions.parse(['any: vllm:num_requests_running{engine="0"} max <= 256'])).toMatchObject([
      { over: "any", family: "vllm:num_requests_running", limit: 256 },
    ]);
    const refusal = (value: unknown) => {
      try {
        SETTINGS.assertions.parse(value);
      } catch (error) {
        return error;
      }
      return undefined;
    };
    const good = "a:b avg < 1";
    expect(refusal([good, "a:b p42 < 1"])).toMatchObject({
      message: expect.stringContaining(
        `${key}, entry 2 (“a:b p42 < 1”), column 5: there is no statistic "p42"`,
      ) as string,
      setting: key,
    });
    expect(refusal([good, "a:b avg <"])).toMatchObject({
      message: `${key}, entry 2 (“a:b avg <”), column 10: expected a number, but the text ends here.`,
      setting: key,
    });
    expect(refusal([7])).toMatchObject({
      message: expect.stringMatching(/entry 1: must be a string such as/) as string,
    });
    expect(refusal("a:b avg < 1")).toMatchObject({ message: expect.stringMatching(/must be a list/) as string });
  });

  it("that a workspace could misuse wait for trust", () => {
    const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    expect(restrictedConfigurations.filter((key) => properties[key] === undefined)).toEqual([]);
    const named = (name: string) => `serverMetrics.${name}`;
    expect(restrictedConfigurations).toEqual(
      expect.arrayContaining([
        // Where requests and files go, and what is sent.
        ...["endpoints", "stores", "remoteWrite", "discoveryPorts", "certificateAuthority", "outputFolder"].map(named),
        // What protects from files of the same workspace.
        ...["secretParameters", "csvSafe", "memoryLimit"].map(named),
      ]),
    );
  });

  it("are read in one place, through their definitions", () => {
    const readers = sources.filter(({ text }) => text.includes("getConfiguration(")).map(({ file }) => file);
    expect(sorted(readers)).toEqual(["src/extension/settings/endpoints.ts", "src/extension/settings/read.ts"]);
  });
});
