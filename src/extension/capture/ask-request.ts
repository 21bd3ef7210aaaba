import type { DemoServer } from "../demo/server.js";
import type { SpawnEngine } from "../engine.js";
import type { EndpointHeaders } from "../headers.js";
import type { Notifier } from "../notify.js";
import { SETTINGS, parseWarmup } from "../settings/definitions.js";
import { readSetting } from "../settings/read.js";
import { askText, type Answer } from "../ask.js";
import { discoverEndpoints } from "./discover.js";
import type { ChosenEndpoint } from "./endpoint-items.js";
import { pickEndpoints } from "./pick-endpoints.js";
import type { CaptureRequest } from "./request.js";

export interface QuestionParts {
  readonly spawnEngine: SpawnEngine;
  readonly headers: EndpointHeaders;
  readonly demo: DemoServer;
  readonly notifier: Notifier;
}

const STEPS = 3;

/**
 * The questions before a capture: endpoints, warm-up, label, with a way back to the one before.
 * @param known endpoints to begin with
 * @param endpointsAre "given": not asked for
 * @returns undefined when given up
 */
export async function askForRequest(
  parts: QuestionParts,
  known: readonly ChosenEndpoint[],
  endpointsAre: "given" | "asked",
): Promise<CaptureRequest | undefined> {
  const asked = endpointsAre === "asked" ? 1 : 0;
  const totalSteps = STEPS - 1 + asked;
  let endpoints = known;
  let warmup = readSetting(SETTINGS.warmup);
  let question: "endpoints" | "warmup" | "label" = endpointsAre === "asked" ? "endpoints" : "warmup";
  for (;;) {
    switch (question) {
      case "endpoints": {
        const picked = await askEndpoints(parts, endpoints, totalSteps);
        if (picked === undefined) return undefined;
        endpoints = picked;
        question = "warmup";
        break;
      }
      case "warmup": {
        const answer = await askWarmup(warmup, 1 + asked, totalSteps);
        if (answer.kind === "cancel") return undefined;
        if (answer.kind === "value") warmup = answer.value.trim() === "" ? "0" : answer.value;
        question = answer.kind === "back" ? "endpoints" : "label";
        break;
      }
      case "label": {
        const answer = await askLabel(2 + asked, totalSteps);
        if (answer.kind === "cancel") return undefined;
        if (answer.kind === "value")
          return { endpoints, warmup: parseWarmup(warmup) ?? { kind: "none" }, label: answer.value.trim() };
        question = "warmup";
        break;
      }
    }
  }
}

/** Starts the demo server when it does not run. */
export async function demoEndpoint(demo: DemoServer): Promise<ChosenEndpoint> {
  return { url: await demo.ensureStarted(), origin: "demo", label: "demo" };
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
      discover: () => discoverEndpoints(parts.spawnEngine, parts.notifier),
      demo: () => demoEndpoint(parts.demo),
    },
    before,
  );
  if (picked === undefined) return undefined;
  return Promise.all(picked.map(async (one) => ({ ...one, url: await parts.headers.takeCredentials(one.url) })));
}

function askWarmup(value: string, step: number, totalSteps: number): Promise<Answer<string>> {
  return askText({
    title: "Start Server Metrics Capture: warm-up",
    prompt: 'Seconds of warm-up left out of the statistics; 0 for none; "manual" to end it by Mark Profiling Start.',
    value,
    step,
    totalSteps,
    validate: (text) =>
      text.trim() === "" || parseWarmup(text) !== undefined
        ? undefined
        : 'Type a number of seconds up to 86400, or "manual".',
  });
}

function askLabel(step: number, totalSteps: number): Promise<Answer<string>> {
  return askText({
    title: "Start Server Metrics Capture: label",
    prompt: "A label for the run, such as batch-64. It becomes part of the artifact folder's name.",
    placeholder: "Optional",
    value: "",
    step,
    totalSteps,
    validate: (text) => (text.length <= 100 ? undefined : "At most 100 characters."),
  });
}
