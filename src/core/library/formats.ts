/** How a table of runs is written for other programs. */
export const LIBRARY_FORMATS = ["csv", "markdown", "parquet"] as const;
export type LibraryFormat = (typeof LIBRARY_FORMATS)[number];
