/** Of what is too much for one call. */
export const ASK_LESS = "Ask for less: one metric, one series or one statistic.";
