import { validateUrl } from "../../collect/url.js";
import { isPrefix, PREFIX_RULE } from "../../core/artifacts/names.js";
import { DISCOVERY_PORTS } from "../../core/catalog/discovery.js";
import { DEMO_PROFILES } from "../../demo/profiles/names.js";
import type { Direction, Objective } from "../../core/catalog/index.js";
import { AssertionError, parseAssertion, type Assertion } from "../../core/compare/gates/assertion.js";
import { thresholdsOf, type Thresholds } from "../../core/insights/thresholds.js";
import { DEFAULT_THRESHOLD, type LabelMode, type LabelRule } from "../../core/compare/types.js";
import { isOwnLabel, OPTION_RANGES, PROVENANCE_PARTS, warmupOf, WINDOW_RULES } from "../../core/model/index.js";
import { SECRET_PARAMETERS, fieldsOf, isFields, parseDuration } from "../../core/text/index.js";
import { ARTIFACT_FORMATS, type ArtifactFormat, type CaptureOptions } from "../../protocol/engine.js";
import { endpointsSetting } from "./endpoint-setting.js";
import {
  choiceSetting,
  choicesSetting,
  flagSetting,
  invalidSetting,
  listSetting,
  rangeSetting,
  recordSetting,
  setting,
  settingError,
  textSetting,
  type Setting,
} from "./setting.js";

const ASSERTIONS = "serverMetrics.assertions";
const LABEL_MODES: readonly LabelMode[] = ["match", "pair", "aggregate", "auto"];
const DIRECTIONS: readonly Direction[] = ["up", "down", "neutral"];

function textsSetting(key: string, byDefault: readonly string[], expected: string): Setting<readonly string[]> {
  return listSetting(key, byDefault, expected, (value) =>
    typeof value === "string" && value !== "" ? value : undefined,
  );
}

function assertionItem(value: unknown, at: string): Assertion | undefined {
  if (typeof value !== "string") return undefined;
  try {
    return parseAssertion(value);
  } catch (error) {
    if (error instanceof AssertionError) throw settingError(ASSERTIONS, `${at} (“${value.trim()}”), ${error.what}`);
    throw error;
  }
}

const THRESHOLDS = "serverMetrics.insights.thresholds";

const insightThresholds: Setting<Partial<Thresholds>> = {
  key: THRESHOLDS,
  default: {},
  parse(value) {
    if (!isFields(value)) throw invalidSetting(THRESHOLDS, "an object of thresholds, such as { kvUsage: 0.8 }", value);
    try {
      return thresholdsOf(value);
    } catch (error) {
      if (error instanceof RangeError) throw settingError(THRESHOLDS, `${THRESHOLDS}: ${error.message}.`);
      throw error;
    }
  },
};

/** The same as a list. */
export function objectivesOf(thresholds: Readonly<Record<string, number>>): Objective[] {
  return Object.entries(thresholds).map(([name, threshold]) => ({ name, threshold }));
}

function labelRule(value: unknown): LabelRule | undefined {
  const { label, mode: named } = fieldsOf(value);
  const mode = LABEL_MODES.find((one) => one === named);
  return typeof label === "string" && label !== "" && mode !== undefined ? { label, mode } : undefined;
}

/** Seconds, a time such as 30s, or "manual": until Mark Profiling Start. @returns undefined for any other text */
export function parseWarmup(text: string): CaptureOptions["warmup"] | undefined {
  const trimmed = text.trim().toLowerCase();
  if (trimmed === "manual") return { kind: "manual" };
  const seconds = parseDuration(trimmed);
  if (seconds === undefined || seconds > OPTION_RANGES.warmup.max) return undefined;
  return warmupOf(seconds);
}

const warmup = setting(
  "serverMetrics.warmup",
  "0",
  `a number of seconds up to ${OPTION_RANGES.warmup.max}, a time such as 30s, or "manual"`,
  (value) => {
    const text = typeof value === "number" ? String(value) : value;
    return typeof text === "string" && parseWarmup(text) !== undefined ? text : undefined;
  },
);

const prefix = setting("serverMetrics.prefix", "", `a part of a file name, with ${PREFIX_RULE}`, (value) =>
  typeof value === "string" && isPrefix(value) ? value : undefined,
);

const remoteWrite = setting(
  "serverMetrics.remoteWrite",
  "",
  "the address of a store, such as http://prometheus:9090",
  (value) =>
    typeof value === "string" && (value.trim() === "" || validateUrl(value) === undefined) ? value.trim() : undefined,
);

/**
 * Every setting the extension reads. A duration without a unit is in seconds. The manifest mirrors this list.
 */
export const SETTINGS = {
  endpoints: endpointsSetting("serverMetrics.endpoints"),
  stores: endpointsSetting("serverMetrics.stores"),
  remoteWrite,
  remoteWriteLabels: recordSetting<string>(
    "serverMetrics.remoteWriteLabels",
    'an object such as { "cluster": "a100" }',
    "a text, and its name none of __…, le and instance, which are reserved",
    (text, name) => (isOwnLabel(name) && typeof text === "string" ? text : undefined),
  ),
  startOnOpen: flagSetting("serverMetrics.startOnOpen", false),
  interval: rangeSetting("serverMetrics.interval", OPTION_RANGES.interval),
  scrapeTimeout: rangeSetting("serverMetrics.scrapeTimeout", OPTION_RANGES.scrapeTimeout),
  reachabilityTimeout: rangeSetting("serverMetrics.reachabilityTimeout", OPTION_RANGES.reachabilityTimeout),
  flushPeriod: rangeSetting("serverMetrics.flushPeriod", OPTION_RANGES.flushPeriod),
  warmup,
  sliceDuration: rangeSetting("serverMetrics.sliceDuration", OPTION_RANGES.sliceDuration),
  window: choiceSetting("serverMetrics.window", "load", WINDOW_RULES),
  formats: choicesSetting<ArtifactFormat>("serverMetrics.formats", ["json", "csv", "parquet"], ARTIFACT_FORMATS, 1),
  outputFolder: textSetting("serverMetrics.outputFolder", "artifacts/server-metrics"),
  prefix,
  provenance: choicesSetting("serverMetrics.provenance", PROVENANCE_PARTS, PROVENANCE_PARTS, 0),
  csvSafe: flagSetting("serverMetrics.csvSafe", false),
  summaryFile: flagSetting("serverMetrics.summaryFile", true),
  include: textsSetting("serverMetrics.include", [], "a pattern such as vllm:*"),
  exclude: textsSetting("serverMetrics.exclude", [], "a pattern such as vllm:*"),
  bodyLimit: rangeSetting("serverMetrics.bodyLimit", OPTION_RANGES.bodyLimit),
  seriesLimit: rangeSetting("serverMetrics.seriesLimit", OPTION_RANGES.seriesLimit),
  labelLimit: rangeSetting("serverMetrics.labelLimit", OPTION_RANGES.labelLimit),
  labelValueLimit: rangeSetting("serverMetrics.labelValueLimit", OPTION_RANGES.labelValueLimit),
  helpLimit: rangeSetting("serverMetrics.helpLimit", OPTION_RANGES.helpLimit),
  lineLimit: rangeSetting("serverMetrics.lineLimit", OPTION_RANGES.lineLimit),
  journalLimit: rangeSetting("serverMetrics.journalLimit", OPTION_RANGES.journalLimit),
  memoryLimit: rangeSetting("serverMetrics.memoryLimit", OPTION_RANGES.memoryLimit),
  journalSync: flagSetting("serverMetrics.journalSync", true),
  certificateAuthority: textSetting("serverMetrics.certificateAuthority", ""),
  secretParameters: textsSetting("serverMetrics.secretParameters", SECRET_PARAMETERS, "the name of a query parameter"),
  discoveryPorts: listSetting<number>(
    "serverMetrics.discoveryPorts",
    DISCOVERY_PORTS.map(({ port }) => port),
    "a port from 1 to 65535",
    (value) =>
      typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 65535 ? value : undefined,
  ),
  compareThreshold: rangeSetting("serverMetrics.compare.threshold", {
    min: 0,
    max: 99,
    byDefault: 100 * DEFAULT_THRESHOLD,
    unit: "per cent",
  }),
  compareDirections: recordSetting<Direction>(
    "serverMetrics.compare.directions",
    "an object of families and up, down or neutral",
    "up, down or neutral",
    (direction) => DIRECTIONS.find((one) => one === direction),
  ),
  compareLabelRules: listSetting<LabelRule>(
    "serverMetrics.compare.labelRules",
    [],
    `an object with a "label" and a "mode" of ${LABEL_MODES.join(", ")}`,
    labelRule,
  ),
  insightThresholds,
  assertions: listSetting<Assertion>(
    ASSERTIONS,
    [],
    "a string such as vllm:e2e_request_latency_seconds p99_estimate < 5",
    assertionItem,
  ),
  slo: recordSetting<number>(
    "serverMetrics.slo",
    'an object of metrics and thresholds, such as { "ttft": 0.5 }',
    "a number in the metric's unit",
    (threshold) => (typeof threshold === "number" && Number.isFinite(threshold) ? threshold : undefined),
  ),
  sloTarget: rangeSetting("serverMetrics.sloTarget", OPTION_RANGES.sloTarget),
  followGrowingFiles: choiceSetting("serverMetrics.followGrowingFiles", "ask", ["ask", "always", "never"]),
  demoProfile: choiceSetting("serverMetrics.demo.profile", "vllm", DEMO_PROFILES),
  demoPort: rangeSetting("serverMetrics.demo.port", OPTION_RANGES.demoPort),
  demoSeed: rangeSetting("serverMetrics.demo.seed", OPTION_RANGES.demoSeed),
} as const;
