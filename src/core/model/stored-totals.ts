import { fieldsOf, isList, type JsonObject } from "../text/json.js";

/** Of a run of totals that a store made: where the instances behind them are. */
export interface StoredTotals {
  /** Of the store, as it may be shown. */
  readonly url: string;
  readonly selectors: readonly string[];
  /** Milliseconds since the epoch. */
  readonly startMs: number;
  readonly endMs: number;
  readonly instances: readonly string[];
  /** How far values are apart; absent in a file that does not say. */
  readonly stepSeconds?: number;
}

/** As a run's `input_config` has it, which may be anything. @returns undefined for a run that is no totals */
export function storedTotals({ source }: JsonObject): StoredTotals | undefined {
  const { kind, samples, url, match, start, end, instances, step_seconds: step } = fieldsOf(source);
  if (kind !== "prometheus" || samples !== "aggregated" || typeof url !== "string") return undefined;
  const texts = (list: unknown) => (isList(list) ? list.filter((one) => typeof one === "string") : []);
  const [startMs, endMs] = [start, end].map((time) => (typeof time === "string" ? Date.parse(time) : NaN));
  if (startMs === undefined || endMs === undefined || !(startMs < endMs)) return undefined;
  const totals = {
    url,
    selectors: texts(match),
    startMs,
    endMs,
    instances: texts(instances),
    ...(typeof step === "number" && step > 0 ? { stepSeconds: step } : {}),
  };
  return totals.selectors.length === 0 || totals.instances.length === 0 ? undefined : totals;
}
