import { t } from "@vscode/l10n";
import { useSignal } from "@preact/signals";
import type { RunHeader } from "../../src/protocol/index.js";
import { matching, SearchList } from "../components/search-list.js";
import { plural } from "../../src/core/text/plural.js";
import { hostOf } from "../format/text.js";
import { elideMiddle } from "../shorten/text-group.js";
import type { RunningAction } from "../state/action.js";
import { useView } from "../state/context.js";

interface TotalsProps {
  readonly totals: NonNullable<RunHeader["totals"]>;
  readonly action: RunningAction;
}

/** What a run of totals is made of: instances, each read from the store when it is opened. */
export function Totals({ totals: { url, instances, stepSeconds }, action }: TotalsProps) {
  const { run } = useView();
  const reading = useSignal<string | undefined>(undefined);
  const items = instances.map((instance) => ({ id: instance, text: instance }));
  const open = (instance: string) => {
    if (reading.value !== undefined) return;
    reading.value = instance;
    action.start(run.client.call("openInstance", { instance }).finally(() => (reading.value = undefined)));
  };
  return (
    <details class="fold totals">
      <summary>
        {t`Totals over ${plural(instances.length, t("instance"), t("instances"))}`}
        <span class="muted">
          {t`${stepSeconds === undefined ? "" : t`every ${stepSeconds} s, `}from ${elideMiddle(hostOf(url), 40)}; open one to read its samples`}
        </span>
      </summary>
      <SearchList
        label={t("Search instances")}
        find={(search) => matching(items, search)}
        onPick={({ id }) => open(id)}
        render={({ text }) => (
          <span class="option-text" title={t`Read ${text} from ${url}`}>
            {text}
          </span>
        )}
        note={reading.value === undefined ? undefined : t`Reading ${reading.value}…`}
      />
    </details>
  );
}
