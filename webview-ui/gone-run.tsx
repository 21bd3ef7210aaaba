import { t } from "@vscode/l10n";
import type { DescribedError } from "../src/protocol/index.js";
import { Button } from "./components/button.js";
import { Placeholder, ProblemLine } from "./components/message.js";
import { useAction } from "./state/action.js";
import { useView } from "./state/context.js";

/** The host's word for a run that is no more: asking again is no use. */
export const RUN_GONE = "run-gone";

/** Why the run that was shown is not there, and what can be done instead. */
export function GoneRun({ error }: { readonly error: DescribedError }) {
  const { run } = useView();
  const action = useAction();
  const command = (name: "recover" | "start") => () =>
    action.start(run.client.call("captureCommand", { command: name }));
  return (
    <>
      {action.problem.value !== undefined && <ProblemLine problem={action.problem.value} />}
      <Placeholder
        reason={error.message}
        remedy={error.remedy}
        action={
          <div class="placeholder-actions">
            <Button primary text={t("Recover Unsaved Captures")} onClick={command("recover")} />
            <Button text={t("Start a New Capture")} onClick={command("start")} />
          </div>
        }
      />
    </>
  );
}
