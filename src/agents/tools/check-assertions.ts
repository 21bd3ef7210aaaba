import * as z from "zod";
import { UserError } from "../../core/text/errors.js";
import { AssertionError, checkAssertion, parseWithPatterns, type Assertion } from "../../core/compare/index.js";
import { withList } from "../answer.js";
import { defineTool } from "../tool.js";
import { OFFSET, oneOrMany, PHASE, RUN, seriesName, unitWords } from "../words.js";

/** Series that are shown of one assertion, those that fail first. */
const SHOWN_SERIES = 8;

export const checkAssertions = defineTool({
  name: "check_assertions",
  title: "Check assertions",
  description:
    "Checks a run against assertions, as `server-metrics check` does. An assertion is " +
    '[all:|any:] family[{label="value"}] statistic < number, with < <= > >= == !=; for example ' +
    '"vllm:e2e_request_latency_seconds p99_estimate < 5".',
  input: z.strictObject({
    run: RUN,
    assertions: oneOrMany(z.array(z.string().min(1)).min(1).max(50)).describe("The assertions"),
    phase: PHASE,
    offset: OFFSET,
  }),
  answer: async ({ run, assertions: texts, phase, offset = 0 }, { runs }) => {
    const assertions = texts.map(parsed);
    const { id, file, statistics } = await runs.statistics(run, phase);
    const results = assertions.map((assertion) => checkAssertion(assertion, statistics));
    const passing = results.filter(({ passed }) => passed).length;
    return withList(
      { run: id, file, result: `${passing} of ${results.length} assertions hold` },
      "assertions",
      results.map(({ assertion, passed, undecided, series, unit, reason }) => ({
        assertion: assertion.text,
        passed,
        ...(undecided === true ? { undecided } : {}),
        ...(reason === undefined ? {} : { reason }),
        unit: unitWords(assertion.statistic, unit),
        series: series
          .toSorted((a, b) => Number(a.passed) - Number(b.passed))
          .slice(0, SHOWN_SERIES)
          .map((one) => ({
            ...seriesName(one),
            value: one.atLeast === true ? `>= ${one.value}` : one.value,
            passed: one.passed,
          })),
        total_series: series.length,
      })),
      { offset },
    );
  },
});

/** @throws UserError pointing at the place */
function parsed(text: string): Assertion {
  try {
    return parseWithPatterns(text);
  } catch (error) {
    if (!(error instanceof AssertionError)) throw error;
    throw new UserError(
      `The assertion "${text}" cannot be read: ${error.what}`,
      'Write it as: family{label="value"} statistic < number',
    );
  }
}
