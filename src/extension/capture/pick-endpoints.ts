import { t } from "@vscode/l10n";
import type { Memento } from "vscode";
import { askList } from "../ask.js";
import type { DemoServerThread } from "../demo/server.js";
import type { SpawnEngine } from "../engine.js";
import type { EndpointHeaders } from "../headers.js";
import type { Notifier } from "../notify.js";
import { SETTINGS } from "../settings/definitions.js";
import { sameEndpoint } from "../settings/endpoints.js";
import { readSetting } from "../settings/read.js";
import { words } from "../words.js";
import type { PickRow } from "../workbench-text.js";
import { describeTested, discoverEndpoints } from "./discover.js";
import { endpointItems, resolvePick, type ChosenEndpoint, type PickAction, recentSets } from "./endpoint-items.js";
import { withAccess } from "./request.js";

export interface QuestionParts {
  readonly spawnEngine: SpawnEngine;
  readonly headers: EndpointHeaders;
  readonly demo: DemoServerThread;
  readonly notifier: Notifier;
  /** Of this workspace. */
  readonly memory: Memento;
}

/** Starts the demo server when it does not run. */
export async function demoEndpoint(demo: DemoServerThread): Promise<ChosenEndpoint> {
  const origin = "demo";
  return { url: await demo.ensureStarted(), origin, label: origin };
}

/**
 * Asks for one or more endpoints. Discovered ones and the demo server go on at once; after a typed one more may follow.
 * @returns undefined when given up
 */
export async function askEndpoints(
  parts: QuestionParts,
  before: readonly ChosenEndpoint[],
  totalSteps: number,
): Promise<readonly ChosenEndpoint[] | undefined> {
  const picked = await pickEndpoints(parts, before, totalSteps);
  if (picked === undefined) return undefined;
  return Promise.all(picked.map(async (one) => ({ ...one, url: await parts.headers.takeCredentials(one.url) })));
}

async function pickEndpoints(
  parts: QuestionParts,
  before: readonly ChosenEndpoint[],
  totalSteps: number,
): Promise<readonly ChosenEndpoint[] | undefined> {
  let chosen = before;
  const ports = readSetting(SETTINGS.discoveryPorts);
  const recent = recentSets(parts.memory);
  const states = new Map<string, string>();
  const tested = new Set<string>();
  let heard: () => void = () => undefined;
  for (;;) {
    const untested = [...chosen, ...recent.flat()].filter(({ url }) => {
      const isNew = !tested.has(url);
      tested.add(url);
      return isNew;
    });
    if (untested.length > 0)
      void testEndpoints(parts, untested, (url, state) => {
        states.set(url, state);
        heard();
      });
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
        setRows(endpointItems(pick.value, chosen, ports, { recent, states }));
      },
      follow: (again) => (heard = again),
      accept: (row, { pick }) => resolvePick(row?.action, pick.value),
    });
    if (answer.kind !== "value") return undefined;
    const action = answer.value;
    switch (action.kind) {
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
        return merge(chosen, [await demoEndpoint(parts.demo)]);
      case "discover": {
        const found = await discoverEndpoints(parts.spawnEngine, parts.notifier);
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

/** Longer than any server takes that is up. */
const TEST_MS = 3000;

/** Only what the user has named or approved is asked. Never rejects. */
async function testEndpoints(
  { spawnEngine, headers, notifier }: QuestionParts,
  endpoints: readonly ChosenEndpoint[],
  onState: (url: string, state: string) => void,
): Promise<void> {
  const engine = spawnEngine();
  const test = async (chosen: ChosenEndpoint) => {
    try {
      const asked = await withAccess([chosen], headers, false);
      for (const one of await engine.client.call("probe", { endpoints: asked, timeoutMs: TEST_MS }))
        onState(chosen.url, describeTested(one));
    } catch (error) {
      onState(chosen.url, t("not tested"));
      notifier.log.debug(`${chosen.url}: ${words(error)}`);
    }
  };
  await Promise.all(endpoints.map(test));
  await engine.dispose();
}
