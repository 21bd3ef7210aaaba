import { percentilesOf, type Estimated, type Outcome } from "./measured.js";

/** What was seen of one server. */
export interface ServerReport {
  readonly name: string;
  readonly version: string;
  /** Why it did not start. */
  readonly problem?: string;
  readonly families?: number;
  /** Families that the catalogue does not know. */
  readonly unknown?: readonly string[];
  /** The percentiles of each run whose observations were logged. */
  readonly estimates?: readonly (readonly Estimated[])[];
  readonly outcomes: readonly Outcome[];
}

/** What the page says where something does not hold. */
export const FAILED = "**no**";

/** docs/compatibility.md. */
export function compatibility(reports: readonly ServerReport[], at: Date): string {
  const estimates = reports.flatMap((one) => one.estimates ?? []);
  const accuracy = { name: "Percentiles", outcomes: estimates.length === 0 ? [] : [percentilesOf(estimates)] };
  return [
    "# Compatibility",
    "",
    "What was seen of real servers and load generators, written by `npm run reality` " +
      `(test/reality) on ${at.toISOString().slice(0, 10)}. ` +
      "Every server ran on a processor, with random weights or mocked.",
    "",
    ...table(
      ["server", "version", "families", "not in the catalogue"],
      reports.map(({ name, version, problem, families, unknown }) =>
        problem === undefined
          ? [name, version, String(families ?? 0), unknown?.map(code).join(", ") || "none"]
          : [name, version, "did not start", cell(problem)],
      ),
    ),
    "",
    ...[...reports.map(({ name, version, outcomes }) => ({ name: `${name} ${version}`, outcomes })), accuracy]
      .filter(({ outcomes }) => outcomes.length > 0)
      .flatMap(({ name, outcomes }) => [
        `## ${name}`,
        "",
        ...table(
          ["check", "result", "holds"],
          outcomes.map(({ check, result, holds }) => [cell(check), cell(result), holds ? "yes" : FAILED]),
        ),
        "",
      ]),
    ...NOTES,
    "",
  ].join("\n");
}

const NOTES = [
  "## What to know",
  "",
  "- AIPerf's own files lack requests where a scrape that it tags as the warm-up's comes after profiling has begun. " +
    "Opening them says so.",
  "- Where profiling begins before the servers were idle, as with very fast ones, a capture says by how many requests " +
    "its window may be off, and its totals are other ones than AIPerf's.",
  "- Percentiles are compared with every observation that vLLM made (50th, 90th, 95th and 99th of its histograms). An " +
    "error is a share of the value, of the first bound where the value lies below that. All runs are judged together: in " +
    "one run of some 80 requests percentiles err together, as its histograms see the same requests, so that one run's " +
    "mean is chance in good part. Requests of one length that start together also end together: intervals, which take " +
    "them for independent, are then somewhat too narrow.",
  "- llama.cpp's server is that of the package xllamacpp, with a model of its own. It does not count requests: they are " +
    "its tokens by those of an answer.",
];

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]) => `| ${cells.map((text, i) => text.padEnd(widths[i] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)];
}

function code(text: string): string {
  return `\`${text}\``;
}

function cell(text: string): string {
  return text.replaceAll("|", "/").replaceAll(/\s+/g, " ");
}
