import { messageOf, toMilliseconds, UserError, SECRET_PARAMETERS } from "../../core/text/index.js";
import { OPTION_RANGES, type OptionRange } from "../../core/model/index.js";
import { inMilliseconds, numberIn } from "./numbers.js";

/** Defaults that the environment sets; options given on the command line win. */
export interface EnvironmentSettings {
  readonly intervalMs: number;
  readonly reachabilityTimeoutMs: number;
  readonly flushPeriodMs: number;
  readonly exportBatchSize: number;
  readonly journalSync: boolean;
  readonly endpoints: readonly string[];
  /** Names of query parameters that are kept out of everything written or shown. */
  readonly secretParameters: readonly string[];
}

const OWN = "SERVER_METRICS_";
const AIPERF = "AIPERF_SERVER_METRICS_";

export const ENVIRONMENT_HELP = `
Environment variables (options win; AIPERF_SERVER_METRICS_... is read where ours is not set):
  SERVER_METRICS_DEFAULT_ENDPOINTS      endpoints, separated by spaces or commas
  SERVER_METRICS_COLLECTION_INTERVAL    time between scrapes, seconds (default 0.333)
  SERVER_METRICS_REACHABILITY_TIMEOUT   test of the endpoints before a capture, seconds (default 10)
  SERVER_METRICS_FLUSH_PERIOD           longest wait for the final scrape, seconds (default 2)
  SERVER_METRICS_EXPORT_BATCH_SIZE      scrapes between two writes of the journal (default 100)
  SERVER_METRICS_JOURNAL_SYNC           1: the journal is synced to the disk every second (default 1)
  SERVER_METRICS_SECRET_PARAMETERS      query parameters recorded as REDACTED (default token, access_token, key,
                                        api_key, sig, signature, password, secret)
  HTTP_PROXY, HTTPS_PROXY, NO_PROXY     proxies, as other programs take them`;

/**
 * Reads SERVER_METRICS_… and, where that is not set, AIPerf's AIPERF_SERVER_METRICS_…, which has times in seconds too.
 * @throws UserError naming the variable and its range
 */
export function readEnvironment(env: NodeJS.ProcessEnv): EnvironmentSettings {
  const { interval, reachabilityTimeout, flushPeriod } = OPTION_RANGES;
  const time = (name: string, range: OptionRange) =>
    read(env, name, toMilliseconds(range.byDefault), inMilliseconds(range));
  return {
    intervalMs: time("COLLECTION_INTERVAL", interval),
    reachabilityTimeoutMs: time("REACHABILITY_TIMEOUT", reachabilityTimeout),
    flushPeriodMs: time("FLUSH_PERIOD", flushPeriod),
    exportBatchSize: read(env, "EXPORT_BATCH_SIZE", 100, (text) =>
      numberIn(text, { min: 1, max: 1_000_000, unit: "scrapes" }),
    ),
    journalSync: read(
      env,
      "JOURNAL_SYNC",
      true,
      (text) => numberIn(text, { min: 0, max: 1, unit: "", isWhole: true }) === 1,
    ),
    endpoints: read(env, "DEFAULT_ENDPOINTS", [], list),
    secretParameters: read(env, "SECRET_PARAMETERS", SECRET_PARAMETERS, list),
  };
}

const list = (text: string): readonly string[] => text.split(/[\s,]+/).filter((item) => item !== "");

/** AIPerf's name where it is not ours. */
const AIPERF_NAMES: Record<string, string> = { FLUSH_PERIOD: "COLLECTION_FLUSH_PERIOD" };

function read<T, F>(env: NodeJS.ProcessEnv, name: string, fallback: F, parse: (text: string) => T): T | F {
  for (const variable of [OWN + name, AIPERF + (AIPERF_NAMES[name] ?? name)]) {
    const text = env[variable];
    // Empty, a list has no entries, and a number is not set.
    if (text === undefined || (text === "" && parse !== list)) continue;
    try {
      return parse(text);
    } catch (error) {
      throw new UserError(`environment variable ${variable}: ${messageOf(error)}`);
    }
  }
  return fallback;
}
