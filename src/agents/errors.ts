/** Of what is too much for one call. */
export const NARROWER_QUESTION = "Ask for less: one metric, one series or one statistic.";
