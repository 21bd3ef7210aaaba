import { attainedText, formatValue, parseObjectives, type Objective } from "../../core/catalog/index.js";
import { jsonText } from "../../core/artifacts/index.js";
import type { SliceAttainment, SloReport } from "../../core/query/index.js";
import { NS_PER_SECOND, type EpochNs } from "../../core/model/index.js";
import type { ShareBelow } from "../../core/stats/index.js";
import { asArgument } from "../options/shared.js";
import { right, textTable } from "../print/table.js";

/** `ttft=0.5,itl=0.05`. @throws InvalidArgumentError that says what is wrong */
export function objectivesArgument(text: string): readonly Objective[] {
  return asArgument(() => parseObjectives(text));
}

/**
 * What share met each objective, for a terminal.
 * @param slices of each objective attained
 */
export function sloText(
  { attained, missing, goodput }: SloReport,
  slices: readonly (readonly SliceAttainment[])[],
): string {
  const rows = attained.map(({ name, family, unit, threshold, observations, share }) => [
    name,
    family,
    `≤ ${formatValue(threshold, unit)}`,
    shareText(share),
    range(share.interval[0], share.interval[1]),
    range(share.lower, share.upper),
    String(observations),
  ]);
  const table = textTable(
    ["OBJECTIVE", "FAMILY", right("THRESHOLD"), right("SHARE"), right("90 %"), right("CERTAIN"), right("OBSERVATIONS")],
    rows,
  ).text;
  const lines = ["SLO ATTAINMENT", ...(rows.length === 0 ? [] : [table])];
  for (const name of missing) lines.push(`${name}: no histogram of this run measures it.`);
  if (goodput !== undefined) {
    const { lower, upper, rateLower, rateUpper, of, without } = goodput;
    const rate = Number.isNaN(rateUpper)
      ? ""
      : `, ${rateLower.toPrecision(3)} to ${rateUpper.toPrecision(3)} requests/s`;
    lines.push(
      `Goodput (${of.join(" and ")}): ${range(lower, upper)} of requests${rate}. Buckets do not show which observations belong to the same request, so there are only bounds. Requests under way at the start or end of the window may count for one objective and not for another.`,
    );
    if (without.length > 0)
      lines.push(`${without.join(", ")}: not observed once per request, so left out of the goodput.`);
  }
  const sliced = sliceTable(attained, slices);
  return [...lines, ...(sliced === "" ? [] : ["", "SLO ATTAINMENT BY TIMESLICE", sliced])].join("\n");
}

/** A line for each slice, a column for each objective; "" without slices. */
function sliceTable(attained: SloReport["attained"], slices: readonly (readonly SliceAttainment[])[]): string {
  const starts = [...new Set(slices.flatMap((own) => own.map(({ start_ns }) => start_ns)))].sort((a, b) =>
    a < b ? -1 : 1,
  );
  const [first] = starts;
  if (first === undefined) return "";
  const seconds = (time: EpochNs) => formatValue(Number(time - first) / NS_PER_SECOND, "seconds");
  const table = textTable(
    [
      right("FROM"),
      right("TO"),
      ...attained.flatMap(({ name, threshold, unit }) => [
        right(`${name} ≤ ${formatValue(threshold, unit)}`),
        right("CERTAIN"),
      ]),
    ],
    starts.slice(0, MAX_SLICES).map((start) => {
      const own = slices.map((list) => list.find(({ start_ns }) => start_ns === start));
      const end = own.find((slice) => slice !== undefined)?.end_ns ?? start;
      return [
        seconds(start),
        seconds(end),
        ...own.flatMap((slice) =>
          slice === undefined || slice.observations === 0
            ? ["-", "-"]
            : [shareText(slice.share), range(slice.share.lower, slice.share.upper)],
        ),
      ];
    }),
  ).text;
  const rest = starts.length - MAX_SLICES;
  return rest <= 0
    ? table
    : `${table}\n${rest} more: --json has all, and \`export --slice-duration\` makes longer ones.`;
}

/** Lines of a terminal that somebody may read. */
const MAX_SLICES = 100;

/**
 * The same as JSON: shares from 0 to 1.
 * @param slices of each objective attained
 */
export function sloJson(
  { attained, missing, goodput }: SloReport,
  slices: readonly (readonly SliceAttainment[])[],
): string {
  return jsonText({
    slo: {
      objectives: attained.map(({ name, family, unit, threshold, observations, share }, i) => ({
        objective: name,
        family,
        unit: unit ?? null,
        threshold,
        observations,
        share: share.value,
        interval: share.interval,
        certain: [share.lower, share.upper],
        timeslices: (slices[i] ?? []).map(({ start_ns, end_ns, is_complete, observations: seen, share: own }) => ({
          start_ns,
          end_ns,
          is_complete,
          observations: seen,
          ...(seen === 0 ? {} : { share: own.value, certain: [own.lower, own.upper] }),
        })),
      })),
      missing,
      goodput:
        goodput === undefined
          ? null
          : {
              of: goodput.of,
              share: [goodput.lower, goodput.upper],
              requests_per_second: Number.isNaN(goodput.rateUpper) ? null : [goodput.rateLower, goodput.rateUpper],
            },
    },
  });
}

/** Above the last bound only how large it is at least. */
function shareText({ value, beyond }: ShareBelow): string {
  return `${beyond === true ? "≥ " : ""}${attainedText(value)}`;
}

function range(low: number, high: number): string {
  return attainedText(low) === attainedText(high) ? attainedText(low) : `${attainedText(low)} to ${attainedText(high)}`;
}
