/** The values that an option takes, the same on the command line, in the environment and in the settings. */
export interface OptionRange {
  readonly min: number;
  readonly max: number;
  readonly byDefault: number;
  /** What it is counted in. Every time is in seconds, unless it is written with a unit of its own, such as `333ms`. */
  readonly unit: string;
  readonly isWhole?: true;
}

const KIB_RANGE = { min: 0.01, max: 1_048_576, unit: "KiB" };

/** Interval, timeout and flush period have the ranges of AIPerf's variables. */
export const OPTION_RANGES = {
  interval: { min: 0.001, max: 300, byDefault: 0.333, unit: "seconds" },
  scrapeTimeout: { min: 0.1, max: 600, byDefault: 10, unit: "seconds" },
  reachabilityTimeout: { min: 0.1, max: 300, byDefault: 10, unit: "seconds" },
  flushPeriod: { min: 0, max: 30, byDefault: 2, unit: "seconds" },
  warmup: { min: 0, max: 86_400, byDefault: 0, unit: "seconds" },
  /** The command line also takes 0: no slices. */
  sliceDuration: { min: 0.1, max: 86_400, byDefault: 5, unit: "seconds" },
  bodyLimit: { min: 0.01, max: 1024, byDefault: 64, unit: "MiB" },
  seriesLimit: { min: 1, max: 100_000_000, byDefault: 500_000, unit: "series", isWhole: true },
  labelLimit: { min: 1, max: 1_000_000, byDefault: 256, unit: "labels", isWhole: true },
  labelValueLimit: { ...KIB_RANGE, byDefault: 64 },
  helpLimit: { ...KIB_RANGE, byDefault: 64 },
  lineLimit: { ...KIB_RANGE, byDefault: 1024 },
  journalLimit: { min: 0.01, max: 1_048_576, byDefault: 2048, unit: "MiB" },
  memoryLimit: { min: 100, max: 1_000_000, byDefault: 900, unit: "MiB", isWhole: true },
  sloTarget: { min: 1, max: 100, byDefault: 99, unit: "per cent" },
  demoPort: { min: 0, max: 65_535, byDefault: 0, unit: "", isWhole: true },
  demoSeed: { min: 0, max: 2 ** 32 - 1, byDefault: 1, unit: "", isWhole: true },
} as const satisfies Readonly<Record<string, OptionRange>>;
