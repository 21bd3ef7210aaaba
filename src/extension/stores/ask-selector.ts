import { t } from "@vscode/l10n";
import type { EndpointOptions } from "../../protocol/index.js";
import { askList } from "../ask.js";
import type { RunEngine } from "../engine.js";
import type { DialogAnswer, PickList, PickRow, Step } from "../workbench-text.js";
import { words } from "../words.js";
import { completed, completionOf, wholeSelector } from "../../stores/wording/selector.js";

interface Row extends PickRow {
  /** The text after it has been picked. */
  readonly next?: string;
  /** Picking it takes this selector. */
  readonly selector?: string;
}

const MAX_ROWS = 100;

export interface SelectorQuestion extends Step {
  /** What was typed before. */
  readonly value: string;
}

/** Asks for a selector and completes it from the labels that the store knows. */
export function askSelector(
  engine: RunEngine,
  store: EndpointOptions,
  question: SelectorQuestion,
): Promise<DialogAnswer<string>> {
  const known = new Map<string, Promise<readonly string[]>>();
  const namesOf = (label: string | undefined, match: string | undefined) => {
    const key = JSON.stringify([label, match]);
    const names =
      known.get(key) ??
      engine.client.call("storeLabels", {
        store,
        ...(label === undefined ? {} : { label }),
        ...(match === undefined ? {} : { match }),
      });
    known.set(key, names);
    return names;
  };
  let newest = 0;
  const fill = async ({ pick, setRows }: PickList<Row>) => {
    const text = pick.value;
    const turn = ++newest;
    const selector = wholeSelector(text);
    const taken: Row[] =
      selector === undefined ? [] : [{ icon: "check", label: t`Read ${selector}`, selector, alwaysShow: true }];
    const completion = completionOf(text);
    setRows(taken);
    if (completion.kind === "whole" || completion.kind === "unclear") return;
    pick.busy = true;
    try {
      const names =
        completion.kind === "family"
          ? await namesOf("__name__", undefined)
          : await namesOf(completion.kind === "value" ? completion.label : undefined, completion.match);
      if (turn !== newest) return;
      const wanted = completion.typed.toLowerCase();
      const rows = names
        .filter((name) => name.toLowerCase().includes(wanted) && name !== "__name__")
        .slice(0, MAX_ROWS)
        .map((name): Row => ({ label: name, next: completed(completion, name), alwaysShow: true }));
      const start: Row[] =
        completion.kind === "family" && completion.typed === ""
          ? [{ icon: "symbol-field", label: t("By label"), next: "{", alwaysShow: true }]
          : [];
      setRows([...taken, ...start, ...rows]);
    } catch (error) {
      if (turn === newest) setRows([...taken, { icon: "error", label: words(error), alwaysShow: true }]);
    } finally {
      if (turn === newest) pick.busy = false;
    }
  };
  return askList<Row, string>({
    ...question,
    title: t("Open Run from Prometheus: Selector"),
    placeholder: t('Series to read, such as {job="vllm"}; picking a row completes it'),
    fill: (list) => void fill(list),
    accept: (row, list) => {
      if (row?.next === undefined) return row?.selector ?? wholeSelector(list.pick.value);
      list.pick.value = row.next;
      void fill(list);
      return undefined;
    },
  });
}
