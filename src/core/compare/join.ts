/**
 * How gauges of several series are taken together: shares, temperatures, times and frequencies are averaged, all others
 * add up.
 */
export function gaugesJoin(unit: string | undefined): "sum" | "mean" {
  return /^(ratio|percent|celsius|fahrenheit|kelvin|seconds|milliseconds|microseconds|nanoseconds|.*hertz)$/.test(
    unit ?? "",
  )
    ? "mean"
    : "sum";
}
