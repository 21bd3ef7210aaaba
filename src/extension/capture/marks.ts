import { t } from "@vscode/l10n";
import type { OffsetNs } from "../../core/model/index.js";
import { UserError } from "../../core/text/user-error.js";
import type { Notifier } from "../notify.js";
import { askInput } from "../workbench-text.js";
import type { Captures } from "./captures.js";
import type { EngineRun } from "./engine-run.js";

function capturing(captures: Captures): EngineRun {
  if (captures.state.kind !== "capturing") throw new UserError(t("No capture is running."), t("Start one first."));
  return captures.state.run;
}

/** Ends the warm-up now. */
export async function markProfilingStart(captures: Captures, notifier: Notifier): Promise<void> {
  const run = capturing(captures);
  await run.engine.client.call("markProfilingStart", {});
  await run.refresh();
  notifier.log.info("The warm-up has been ended by hand: profiling starts here.");
}

/** Notes an event at the moment its label is confirmed. @param time of the event, where it is over */
export async function addMark(captures: Captures, time?: OffsetNs): Promise<void> {
  const run = capturing(captures);
  const number = (run.header?.marks.length ?? 0) + 1;
  const label = await askInput({
    title: t("Add Mark"),
    prompt: t`What ${time === undefined ? t("happens now") : t("happened there")}, such as concurrency 64. Shown in every chart and kept in the artifacts. "phase NAME" also begins a phase of that name, with statistics of its own.`,
    value: t`Mark ${number}`,
    validate: (text) => (text.length > 200 ? t("At most 200 characters.") : undefined),
  });
  if (label === undefined) return;
  await run.engine.client.call("addMark", {
    label: label.trim() === "" ? t`Mark ${number}` : label.trim(),
    ...(time === undefined ? {} : { time }),
  });
  await run.refresh();
}
