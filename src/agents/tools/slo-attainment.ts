import * as z from "zod";
import { UserError } from "../../core/text/errors.js";
import { shownUnit } from "../../core/catalog/index.js";
import { amountOf } from "../../core/model/index.js";
import { shareBelow, type ShareBelow } from "../../core/stats/index.js";
import { withList, type AnswerFields } from "../answer.js";
import { familyNamed, FAMILY, matchesChoice, OFFSET, PHASE, RUN, SERIES, seriesName, windowOf } from "../words.js";
import { defineTool } from "../tool.js";

export const sloAttainment = defineTool({
  name: "slo_attainment",
  title: "SLO attainment",
  description:
    "The share of a histogram's observations at or below a threshold, such as time to first token of at most 0.5 s: " +
    "an estimate, and its certain bounds. With a target, whether it is met.",
  input: z.strictObject({
    run: RUN,
    family: FAMILY.describe("Name of a histogram, such as vllm:time_to_first_token_seconds"),
    threshold: z.number().describe("In the metric's own unit: 0.5 for 500 ms of a metric in seconds"),
    target: z.number().gt(0).max(1).optional().describe("Share to reach, such as 0.99"),
    ...SERIES,
    phase: PHASE,
    offset: OFFSET,
  }),
  answer: async ({ run, family: wanted, threshold, target, phase, offset = 0, ...choice }, { runs }) => {
    const view = await runs.statistics(run, phase);
    const { families } = view.statistics;
    const name = familyNamed(
      families.map((family) => family.name),
      wanted,
      view.id,
    );
    const histograms = families.flatMap((family) => (family.type === "histogram" ? [family] : []));
    const family = histograms.find((one) => one.name === name);
    if (family === undefined)
      throw new UserError(
        `${name} is not a histogram: it does not show how its observations are spread.`,
        `Histograms of this run: ${histograms
          .slice(0, 12)
          .map((one) => one.name)
          .join(", ")}. For other metrics use check_assertions.`,
      );
    const chosen = family.series.filter((series) => matchesChoice(choice, series));
    if (chosen.length === 0)
      throw new UserError(
        `None of the ${family.series.length} series of ${name} has these labels.`,
        "Leave labels and endpoint out for all.",
      );
    return withList(
      {
        run: view.id,
        file: view.file,
        family: name,
        ...(phase === undefined ? {} : { phase }),
        window: windowOf(view.window),
        threshold,
        unit: family.unit ?? shownUnit(family) ?? "a plain number",
        ...(target === undefined ? {} : { target }),
        meaning: "share from 0 to 1 of the observations that are at most the threshold",
      },
      "series",
      chosen.map((series) => ({
        ...seriesName(series),
        observations: amountOf(series),
        ...attainment(shareBelow(series, threshold), target),
      })),
      { offset },
    );
  },
});

function attainment({ value, lower, upper, interval }: ShareBelow, target: number | undefined): AnswerFields {
  if (Number.isNaN(lower)) return { share: null, note: "no buckets: nothing was observed, or the file lacks them" };
  const percent = (share: number) => `${Number((100 * share).toPrecision(4))} %`;
  const estimate = { share: value, ...(lower === upper ? {} : { interval_90_percent: interval }) };
  const text = lower === upper ? percent(lower) : `between ${percent(lower)} and ${percent(upper)}`;
  if (target === undefined) return { ...estimate, certainly_between: [lower, upper], text };
  const met = lower >= target ? "yes" : upper < target ? "no" : "cannot tell: the threshold lies inside a bucket";
  return { ...estimate, certainly_between: [lower, upper], text, target_met: met };
}
