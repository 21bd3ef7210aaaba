import { t } from "@vscode/l10n";
import { createPickList, type PickRow } from "../workbench-text.js";
import { sameEndpoint } from "../settings/endpoints.js";
import { endpointItems, resolvePick, type ChosenEndpoint, type PickAction } from "./endpoint-items.js";

export interface PickEndpoints {
  readonly discoveryPorts: readonly number[];
  readonly totalSteps: number;
  /** Endpoints picked among those that answered; undefined when given up. */
  discover(): Promise<readonly ChosenEndpoint[] | undefined>;
  /** Sets captured before, the latest first. */
  readonly recent: readonly (readonly ChosenEndpoint[])[];
  /** Tests endpoints, and tells of each what was found. Never rejects. */
  test(endpoints: readonly ChosenEndpoint[], onState: (url: string, state: string) => void): Promise<void>;
  /** Starts the demo server when it does not run. */
  demo(): Promise<ChosenEndpoint>;
}

/**
 * Asks for one or more endpoints. Discovered ones and the demo server go on at once; after a typed one more may follow.
 */
export async function pickEndpoints(
  options: PickEndpoints,
  before: readonly ChosenEndpoint[] = [],
): Promise<readonly ChosenEndpoint[] | undefined> {
  let chosen = before;
  const states = new Map<string, string>();
  const tested = new Set<string>();
  let heard: () => void = () => undefined;
  for (;;) {
    const untested = [...chosen, ...options.recent.flat()].filter(({ url }) => {
      const isNew = !tested.has(url);
      tested.add(url);
      return isNew;
    });
    if (untested.length > 0)
      void options.test(untested, (url, state) => {
        states.set(url, state);
        heard();
      });
    const action = await pickOnce(options, chosen, states, (listener) => (heard = listener));
    switch (action?.kind) {
      case undefined:
        return undefined;
      case "continue":
        return chosen;
      case "again":
        return action.endpoints;
      case "add":
        chosen = merge(chosen, [{ url: action.url, origin: "typed" }]);
        break;
      case "remove":
        chosen = chosen.filter((endpoint) => endpoint.url !== action.url);
        break;
      case "demo":
        return merge(chosen, [await options.demo()]);
      case "discover": {
        const found = await options.discover();
        if (found !== undefined && found.length > 0) return merge(chosen, found);
        break;
      }
      case "invalid":
        break;
    }
  }
}

function merge(chosen: readonly ChosenEndpoint[], added: readonly ChosenEndpoint[]): readonly ChosenEndpoint[] {
  return [...chosen, ...added.filter((one) => !chosen.some((other) => sameEndpoint(one.url, other.url)))];
}

function pickOnce(
  options: PickEndpoints,
  chosen: readonly ChosenEndpoint[],
  states: ReadonlyMap<string, string>,
  onState: (listener: () => void) => void,
): Promise<PickAction | undefined> {
  const { pick, setRows, setActive } = createPickList<PickRow & { readonly action: PickAction }>(
    t("Start Capture: endpoints"),
    chosen.length === 0
      ? t("Type the URL of a metrics endpoint, such as localhost:8000")
      : t("Type another URL, or continue"),
  );
  pick.step = 1;
  pick.totalSteps = options.totalSteps;
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.ignoreFocusOut = true;
  const list = () =>
    setRows(endpointItems(pick.value, chosen, options.discoveryPorts, { recent: options.recent, states }));
  list();
  onState(() => {
    const [active] = pick.activeItems;
    list();
    if (active !== undefined) setActive(({ label }) => label === active.label);
  });
  return new Promise((resolve) => {
    let result: PickAction | undefined;
    pick.onDidChangeValue(list);
    pick.onDidAccept(() => {
      const action = resolvePick(pick.selectedItems[0]?.action, pick.value);
      if (action === undefined) return;
      result = action;
      pick.hide();
    });
    pick.onDidHide(() => {
      onState(() => undefined);
      pick.dispose();
      resolve(result);
    });
    pick.show();
  });
}
