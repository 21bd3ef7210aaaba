import { join } from "node:path";
import * as z from "zod";
import { REDACTIONS, redacted, revealedBy, revealedText, runSummarySteps } from "../../core/report/index.js";
import { UserError } from "../../core/text/user-error.js";
import { complete } from "../../core/stats/index.js";
import { runReport } from "../../engine/report/in-thread.js";
import { hiding, readReportParts, reportHtml } from "../../engine/report/index.js";
import { writeNewFile } from "../../files/atomic.js";
import { withList } from "../answer.js";
import { defineTool } from "../tool.js";
import { OFFSET, oneOrMany, RUN } from "../words.js";

const FILE_NAME = /^[A-Za-z0-9][\w.-]{0,100}\.html$/;

export const exportReport = defineTool({
  name: "export_report",
  title: "Export a report",
  description:
    "Makes a report of a run for readers without this program. Without file: lines of Markdown, for a pull request. " +
    "With file: one HTML file with the run's views is written into the folder of runs; it opens offline in any browser.",
  input: z.strictObject({
    run: RUN,
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
  answer: async ({ run: id, file, hide = [], offset }, { runs }) => {
    const { folder } = runs;
    const run = await folder.find(id);
    const report = await runReport(
      run.files.map(({ path }) => path),
      { within: folder.path },
    );
    const reveals = revealedText(revealedBy(report), hide);
    if (file === undefined) {
      const { opened } = await runs.samples(run.id);
      const names = run.files.map(({ path, format }) => ({ name: folder.idOf(path), format }));
      const text = redacted(complete(runSummarySteps(opened.run, names)), hide, report);
      return withList({ run: run.id, reveals }, "report", text.trimEnd().split("\n"), { offset });
    }
    const html = reportHtml(hiding(report, hide), await readReportParts(__dirname));
    await writeNewFile(join(folder.path, file), html).catch((error: unknown) => {
      if (!(error instanceof UserError) || error.system !== "EEXIST") throw error;
      throw new UserError(`${file} is there already: it was not replaced.`, "Choose another name.");
    });
    return { run: run.id, file, bytes: Buffer.byteLength(html), reveals, left_out: report.about.leftOut };
  },
});
