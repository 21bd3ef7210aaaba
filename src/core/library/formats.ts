/** How a table of runs is written for other programs. */
export const LIBRARY_FORMATS = ["csv", "markdown", "parquet"] as const;
export type LibraryFormat = (typeof LIBRARY_FORMATS)[number];

/** What runs share a row by. */
export const GROUPINGS = ["repeats", "experiments"] as const;
export type Grouping = (typeof GROUPINGS)[number];
