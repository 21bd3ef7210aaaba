import { t } from "@vscode/l10n";
import type { Memento } from "vscode";
import { jsonEndpointsFile } from "../../files/json-endpoints.js";
import { LONGEST_LABEL } from "../../core/model/index.js";
import type { DemoServerThread } from "../demo/server.js";
import type { SpawnEngine } from "../engine.js";
import type { EndpointHeaders } from "../headers.js";
import type { Notifier } from "../notify.js";
import { SETTINGS, parseWarmup } from "../settings/definitions.js";
import { readSetting } from "../settings/read.js";
import { words } from "../words.js";
import { askText, type DialogAnswer, type Step } from "../ask.js";
import { describeTested, discoverEndpoints } from "./discover.js";
import type { ChosenEndpoint } from "./endpoint-items.js";
import { pickEndpoints } from "./pick-endpoints.js";
import { recentSets } from "./recent.js";
import { withAccess, type CaptureRequest } from "./request.js";

export interface QuestionParts {
  readonly spawnEngine: SpawnEngine;
  readonly headers: EndpointHeaders;
  readonly demo: DemoServerThread;
  readonly notifier: Notifier;
  /** Of this workspace. */
  readonly memory: Memento;
}

/** The questions before a capture, in their order. */
export const QUESTIONS = ["endpoints", "warmup", "label"] as const;
export type CaptureQuestion = (typeof QUESTIONS)[number];

/**
 * Asks what a capture still needs to be told, with a way back to the question before.
 * @param known what the questions begin with; what is not asked for is taken from it
 * @param questions in their order; with none nothing is asked
 * @returns undefined when given up
 */
export async function askForRequest(
  parts: QuestionParts,
  known: CaptureRequest,
  questions: readonly CaptureQuestion[],
): Promise<CaptureRequest | undefined> {
  const totalSteps = questions.length;
  let { endpoints, label } = known;
  let warmup = readSetting(SETTINGS.warmup);
  for (let step = 1; ;) {
    const question = questions[step - 1];
    if (question === undefined) break;
    let back = false;
    switch (question) {
      case "endpoints": {
        const picked = await askEndpoints(parts, endpoints, totalSteps);
        if (picked === undefined) return undefined;
        endpoints = picked;
        break;
      }
      case "warmup": {
        const answer = await askWarmup(warmup, { step, totalSteps });
        if (answer.kind === "cancel") return undefined;
        if (answer.kind === "value") warmup = answer.value.trim() === "" ? "0" : answer.value;
        back = answer.kind === "back";
        break;
      }
      case "label": {
        const answer = await askLabel({ step, totalSteps });
        if (answer.kind === "cancel") return undefined;
        if (answer.kind === "value") label = answer.value.trim();
        back = answer.kind === "back";
        break;
      }
    }
    step += back ? -1 : 1;
  }
  return {
    endpoints,
    warmup: questions.includes("warmup") ? (parseWarmup(warmup) ?? { kind: "none" }) : known.warmup,
    label,
  };
}

/** Starts the demo server when it does not run. */
export async function demoEndpoint(demo: DemoServerThread): Promise<ChosenEndpoint> {
  const origin = "demo";
  return { url: await demo.ensureStarted(), origin, label: origin };
}

async function askEndpoints(
  parts: QuestionParts,
  before: readonly ChosenEndpoint[],
  totalSteps: number,
): Promise<readonly ChosenEndpoint[] | undefined> {
  const picked = await pickEndpoints(
    {
      discoveryPorts: readSetting(SETTINGS.discoveryPorts),
      totalSteps,
      recent: recentSets(parts.memory),
      test: (endpoints, onState) => testEndpoints(parts, endpoints, onState),
      discover: () => discoverEndpoints(parts.spawnEngine, parts.notifier),
      demo: () => demoEndpoint(parts.demo),
    },
    before,
  );
  if (picked === undefined) return undefined;
  return Promise.all(picked.map(async (one) => ({ ...one, url: await parts.headers.takeCredentials(one.url) })));
}

/** Longer than any server takes that is up. */
const TEST_MS = 3000;

/** Only what the user has named or approved is asked. */
async function testEndpoints(
  { spawnEngine, headers, notifier }: QuestionParts,
  endpoints: readonly ChosenEndpoint[],
  onState: (url: string, state: string) => void,
): Promise<void> {
  const engine = spawnEngine();
  const test = async (chosen: ChosenEndpoint) => {
    try {
      const asked = await withAccess([chosen], headers, false);
      const probing = { endpoints: asked, timeoutMs: TEST_MS, jsonEndpointsPath: jsonEndpointsFile() };
      for (const one of await engine.client.call("probe", probing)) onState(chosen.url, describeTested(one));
    } catch (error) {
      onState(chosen.url, t("not tested"));
      notifier.log.debug(`${chosen.url}: ${words(error)}`);
    }
  };
  await Promise.all(endpoints.map(test));
  await engine.dispose();
}

function askWarmup(value: string, step: Step): Promise<DialogAnswer<string>> {
  return askText({
    title: t("Start Capture: warm-up"),
    prompt: t('Seconds of warm-up left out of the statistics; 0 for none; "manual" to end it by Mark Profiling Start.'),
    value,
    ...step,
    validate: (text) =>
      text.trim() === "" || parseWarmup(text) !== undefined
        ? undefined
        : t('Type a number of seconds up to 86400, or "manual".'),
  });
}

function askLabel(step: Step): Promise<DialogAnswer<string>> {
  return askText({
    title: t("Start Capture: label"),
    prompt: t("A label for the run, such as batch-64. It becomes part of the artifact folder's name."),
    placeholder: t("Optional"),
    value: "",
    ...step,
    validate: (text) => (text.length <= LONGEST_LABEL ? undefined : t`At most ${LONGEST_LABEL} characters.`),
  });
}
