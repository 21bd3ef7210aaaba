import { join } from "node:path";
import * as z from "zod";
import { DEFAULT_THRESHOLD } from "../../core/compare/index.js";
import { REDACTIONS, revealedText } from "../../core/report/index.js";
import { UserError } from "../../core/text/errors.js";
import { comparisonReport, runReport } from "../../engine/report/in-thread.js";
import { hiding, readReportParts, reportHtml, reportMarkdown, revealedByReport } from "../../engine/report/index.js";
import { writeNewFile } from "../../files/atomic.js";
import { withList } from "../answer.js";
import type { RunFolder } from "../folder.js";
import { defineTool } from "../tool.js";
import { OFFSET, oneOrMany } from "../words.js";
import { RUNS } from "./compare-runs.js";

const FILE_NAME = /^[A-Za-z0-9][\w.-]{0,100}\.html$/;

export const exportReport = defineTool({
  name: "export_report",
  title: "Export a report",
  description:
    "Makes a report of a run, or of a comparison, for readers without this program. Without file: lines of Markdown, " +
    "for a pull request. With file: one HTML file with its views is written into the folder of runs; it opens offline " +
    "in any browser.",
  input: z.strictObject({
    run: RUNS.describe("Id of the run; with candidates, of the baseline, several ids being repeats of it"),
    candidates: RUNS.optional().describe("Ids of runs to compare with it, each by itself"),
    candidates_are_repeats: z.boolean().optional().describe("true: the candidates are repeats of one run"),
    file: z
      .string()
      .regex(FILE_NAME, "is not a name of a file such as night-shift.html")
      .optional()
      .describe("Name of the HTML file, such as night-shift.html; one that is there is not replaced"),
    hide: oneOrMany(z.array(z.enum(REDACTIONS)))
      .optional()
      .describe("What gets other names in the report: hosts, paths, labels"),
    offset: OFFSET,
  }),
  writes: true,
  answer: async ({ run, candidates = [], candidates_are_repeats, file, hide = [], offset }, { runs: { folder } }) => {
    const repeats = candidates_are_repeats === true && candidates.length > 0;
    const sets = repeats ? [candidates] : candidates.map((id) => [id]);
    const report = await reportOf([run, ...sets], folder);
    const reveals = revealedText(revealedByReport(report, file === undefined), hide);
    const shown = hiding(report, hide);
    const base = { run: run.join(", "), ...(candidates.length === 0 ? {} : { candidates }), reveals };
    if (file === undefined) return withList(base, "report", reportMarkdown(shown).trimEnd().split("\n"), { offset });
    const html = reportHtml(shown, await readReportParts(__dirname));
    await writeNewFile(join(folder.path, file), html).catch((error: unknown) => {
      if (!(error instanceof UserError) || error.system !== "EEXIST") throw error;
      throw new UserError(`${file} is there already: it was not replaced.`, "Choose another name.");
    });
    return { ...base, file, bytes: Buffer.byteLength(html), left_out: report.about.leftOut };
  },
});

/** @param sets ids of repeats, the baseline's first; one of a single run is that run's report */
async function reportOf(sets: readonly (readonly string[])[], folder: RunFolder) {
  const reach = { within: folder.path };
  const paths = async (id: string) => (await folder.find(id)).files.map(({ path }) => path);
  const [[first = "", repeat] = [], candidate] = sets;
  if (candidate !== undefined) {
    const best = async (id: string) => (await paths(id)).slice(0, 1);
    const files = await Promise.all(sets.map(async (ids) => (await Promise.all(ids.map(best))).flat()));
    return comparisonReport(files, { threshold: DEFAULT_THRESHOLD }, reach);
  }
  if (repeat !== undefined)
    throw new UserError("There is nothing to compare these runs with.", "Name candidates, or one run alone.");
  return runReport(await paths(first), reach);
}
