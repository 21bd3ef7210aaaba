import { t } from "@vscode/l10n";
import { askList } from "../ask.js";
import type { PickRow } from "../workbench-text.js";
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

async function pickOnce(
  { discoveryPorts, totalSteps, recent }: PickEndpoints,
  chosen: readonly ChosenEndpoint[],
  states: ReadonlyMap<string, string>,
  onState: (listener: () => void) => void,
): Promise<PickAction | undefined> {
  const answer = await askList<PickRow & { readonly action: PickAction }, PickAction>({
    title: t("Start Capture: endpoints"),
    placeholder:
      chosen.length === 0
        ? t("Type the URL of a metrics endpoint, such as localhost:8000")
        : t("Type another URL, or continue"),
    step: 1,
    totalSteps,
    fill: ({ pick, setRows }) => {
      pick.matchOnDetail = true;
      setRows(endpointItems(pick.value, chosen, discoveryPorts, { recent, states }));
    },
    follow: onState,
    accept: (row, { pick }) => resolvePick(row?.action, pick.value),
  });
  return answer.kind === "value" ? answer.value : undefined;
}
