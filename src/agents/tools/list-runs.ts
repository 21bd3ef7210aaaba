import * as z from "zod";
import { isoTextOfMs } from "../../core/model/index.js";
import { withList } from "../answer.js";
import { defineTool } from "../tool.js";
import { OFFSET } from "../words.js";

export const listRuns = defineTool({
  name: "list_runs",
  title: "List runs",
  description:
    "Lists the captured runs below the folder, the newest first, with their ids. Every other tool takes such an id. " +
    "Start here, then call describe_run.",
  input: z.strictObject({
    contains: z.string().min(1).optional().describe("Only runs whose id contains this text"),
    offset: OFFSET,
  }),
  answer: async ({ contains, offset = 0 }, { runs: { folder }, captures }) => {
    const found = (await folder.runs()).filter(({ id }) => contains === undefined || id.includes(contains));
    const items = found.map(({ id, files, modified }) => ({
      id,
      formats: [...new Set(files.map(({ format }) => format))],
      modified: isoTextOfMs(modified),
    }));
    const running = captures.running().map(({ id, urls, seconds }) => ({ id, endpoints: urls, seconds }));
    return withList(
      {
        folder: folder.path,
        ...(running.length === 0 ? {} : { capturing: running }),
        ...(items.length === 0 && running.length === 0
          ? { note: "No runs found. start_capture makes one; or start this server for another folder." }
          : {}),
      },
      "runs",
      items,
      { offset },
    );
  },
});
