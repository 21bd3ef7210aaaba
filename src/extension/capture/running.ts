import { t } from "@vscode/l10n";
import { UserError } from "../../core/text/errors.js";
import { allLeftOut } from "../../core/model/capture.js";
import type { Notifier } from "../notify.js";
import { problemWords, sentence } from "../words.js";
import { endpointName } from "./endpoint-items.js";
import type { Captures } from "./captures.js";
import type { EngineRun } from "../engine.js";
import { MOVE_JOURNAL } from "./journals.js";
import type { OffsetNs } from "../../core/model/index.js";
import { askInput } from "../workbench-text.js";

/** Tells the user what the engine reports while it captures: notices, and its own end. */
export function watchRun(
  run: EngineRun,
  captures: Captures,
  notifier: Notifier,
  actions: { showRun(): void; stopCapture(): unknown; moveJournal(): unknown; recover(): unknown },
): void {
  let leftOut = false;
  const offerStop = () => {
    const endpoints = captures.state.kind === "capturing" ? (run.header?.endpoints ?? []) : [];
    const before = leftOut;
    leftOut = allLeftOut(endpoints);
    if (!leftOut || before) return;
    // Why, the live view says beside each, and a notice has said it of those that were left out later.
    notifier.warn(t("Every endpoint has been left out: this capture records nothing more."), {
      title: t("Stop Capture"),
      run: () => actions.stopCapture(),
    });
  };
  run.onDidChange(offerStop);
  const stopNotices = run.engine.client.on("notice", (notice) => {
    const words = problemWords(notice);
    const name = notice.endpointUrl === undefined ? "" : endpointName(notice.endpointUrl);
    const message = words.includes(name) ? words : `${name}: ${words}`;
    if (notice.severity === "info") notifier.log.info(message);
    else if (notice.offer === "moveJournal")
      notifier.warn(message, { title: MOVE_JOURNAL, run: () => actions.moveJournal() });
    else notifier.warn(message, { title: t("Open Live View"), run: () => actions.showRun() });
  });
  run.onDidEnd(stopNotices);
  notifier.run(
    run.engine.crashed.then(async (reason) => {
      if (reason === undefined) return;
      const capturing = captures.active === run;
      await run.end();
      if (!capturing) return;
      notifier.error(
        new UserError(
          t`The capture engine ended unexpectedly: ${sentence(reason)}`,
          t("Every scrape up to its last second is in the journal."),
        ),
        {
          title: t("Recover"),
          run: () => actions.recover(),
        },
      );
    }),
  );
}

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
