import { t } from "@vscode/l10n";
import type { RunHeader } from "../../src/protocol/index.js";
import type { WindowRule } from "../../src/core/model/index.js";
import { Choice } from "../components/choice.js";
import type { RunningAction } from "../state/action.js";
import { useView } from "../state/context.js";

const RULES: readonly { readonly value: WindowRule; readonly text: string; readonly title: string }[] = [
  { value: "load", text: t("Load"), title: t("Statistics, findings and charts are of the load alone") },
  {
    value: "all",
    text: t("Whole run"),
    title: t("Statistics, findings and charts are of all that was captured"),
  },
];

/** What is measured of a run whose load is known, and the switch between that and all of it. */
export function Measured({ header, action }: { readonly header: RunHeader; readonly action: RunningAction }) {
  const { run } = useView();
  const { load, adjustable, state } = header;
  // A window that was chosen is what is measured: the line below says it.
  if (load === undefined || header.window !== undefined) return null;
  const free = load.switchable && (adjustable || state === "capturing");
  return (
    <div class="adjust-line measured">
      <span>{load.text}</span>
      {free && (
        <Choice
          label={t("What is measured")}
          options={RULES}
          value={load.rule}
          onChoose={(windowRule) => action.start(run.client.call("adjust", { windowRule }))}
        />
      )}
      {load.changes !== undefined && <span class="muted">{load.changes}</span>}
    </div>
  );
}
