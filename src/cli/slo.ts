import { InvalidArgumentError } from "commander";
import { formatValue } from "../core/catalog/index.js";
import { parseObjectives, type Objective, type SloReport } from "../core/query/index.js";
import { shareText } from "../core/query/slo-text.js";
import { textTable } from "./table.js";

/** `ttft=0.5,itl=0.05`. @throws InvalidArgumentError that says what is wrong */
export function objectivesArgument(text: string): readonly Objective[] {
  try {
    return parseObjectives(text);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
}

/** What share met each objective, for a terminal. */
export function sloText({ attained, missing, goodput }: SloReport): string {
  const rows = attained.map(({ name, family, unit, threshold, observations, share }) => [
    name,
    family,
    `≤ ${formatValue(threshold, unit)}`,
    shareText(share.value),
    range(share.interval[0], share.interval[1]),
    range(share.lower, share.upper),
    String(observations),
  ]);
  const table = textTable(
    [
      { title: "OBJECTIVE" },
      { title: "FAMILY" },
      { title: "THRESHOLD", align: "right" },
      { title: "SHARE", align: "right" },
      { title: "90 %", align: "right" },
      { title: "CERTAIN", align: "right" },
      { title: "OBSERVATIONS", align: "right" },
    ],
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
      `Goodput (${of.join(" and ")}): ${range(lower, upper)} of requests${rate}. Buckets do not show which observations belong to the same request, so only these bounds are certain.`,
    );
    if (without.length > 0)
      lines.push(`${without.join(", ")}: not observed once per request, so left out of the goodput.`);
  }
  return lines.join("\n");
}

/** The same as JSON: shares from 0 to 1. */
export function sloJson({ attained, missing, goodput }: SloReport): string {
  return JSON.stringify(
    {
      slo: {
        objectives: attained.map(({ name, family, unit, threshold, observations, share }) => ({
          objective: name,
          family,
          unit: unit ?? null,
          threshold,
          observations,
          share: share.value,
          interval: share.interval,
          certain: [share.lower, share.upper],
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
    },
    undefined,
    2,
  );
}

function range(low: number, high: number): string {
  return shareText(low) === shareText(high) ? shareText(low) : `${shareText(low)} to ${shareText(high)}`;
}
