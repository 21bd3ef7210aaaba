import { t } from "@vscode/l10n";
import { UserError } from "../../core/text/errors.js";
import { fieldsOf, isList } from "../../core/text/json.js";
import { validateUrl } from "../../collect/url.js";
import { LONGEST_LABEL } from "../../core/model/index.js";
import { parseWarmup, SETTINGS } from "../settings/definitions.js";
import type { ChosenEndpoint } from "./endpoint-items.js";
import type { CaptureRequest } from "./request.js";
import { readSetting } from "../settings/read.js";
import { askText, type DialogAnswer, type Step } from "../workbench-text.js";
import { askEndpoints, type QuestionParts } from "./pick-endpoints.js";

/** What the caller of a start has decided already; the rest is asked for. */
export type PresetRequest = Partial<CaptureRequest>;

/**
 * Reads what another extension passes to `serverMetrics.startCapture`: `{ urls, warmup, label }`, each of which may be
 * left out. What VS Code itself passes, such as the row of a menu, says nothing.
 * @throws UserError for an address, warm-up or label that cannot be used
 */
export function presetRequest(argument: unknown): PresetRequest {
  const { urls, warmup, label } = fieldsOf(argument);
  return {
    ...(urls === undefined ? {} : endpointsOf(urls)),
    ...(warmup === undefined ? {} : { warmup: warmupOf(warmup) }),
    ...(label === undefined ? {} : { label: labelOf(label) }),
  };
}

function endpointsOf(list: unknown): PresetRequest {
  if (!isList(list))
    throw new UserError(
      t("The capture has not started: the addresses that it was called with cannot be used."),
      t('They are a list of strings, such as ["http://localhost:8000/metrics"].'),
    );
  const endpoints = list.map((url, i): ChosenEndpoint => {
    const problem = typeof url === "string" ? validateUrl(url) : t("It is not a string.");
    if (problem !== undefined || typeof url !== "string")
      throw new UserError(
        t`The capture has not started: address ${i + 1} of ${list.length} that it was called with cannot be used.`,
        problem,
      );
    // Nobody is asked to keep them: whoever gives them knows them.
    return { url, origin: "demo" };
  });
  return endpoints.length === 0 ? {} : { endpoints };
}

function warmupOf(value: unknown): CaptureRequest["warmup"] {
  const warmup = typeof value === "number" || typeof value === "string" ? parseWarmup(String(value)) : undefined;
  if (warmup === undefined)
    throw new UserError(
      t("The capture has not started: the warm-up that it was called with cannot be used."),
      t('It is a number of seconds up to 86400, a time such as "30s", or "manual".'),
    );
  return warmup;
}

function labelOf(value: unknown): string {
  if (typeof value !== "string" || value.length > LONGEST_LABEL)
    throw new UserError(
      t("The capture has not started: the label that it was called with cannot be used."),
      t`A label is a string of up to ${LONGEST_LABEL} characters; "" means none.`,
    );
  return value.trim();
}

/** The questions before a capture, in their order. */
export const QUESTIONS = ["endpoints", "warmup", "label"] as const;
type CaptureQuestion = (typeof QUESTIONS)[number];

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
    if (question === "endpoints") {
      const picked = await askEndpoints(parts, endpoints, totalSteps);
      if (picked === undefined) return undefined;
      endpoints = picked;
      step++;
      continue;
    }
    const place = { step, totalSteps };
    const answer = await (question === "warmup" ? askWarmup(warmup, place) : askLabel(place));
    if (answer.kind === "cancel") return undefined;
    step += answer.kind === "back" ? -1 : 1;
    if (answer.kind === "back") continue;
    if (question === "warmup") warmup = answer.value.trim() === "" ? "0" : answer.value;
    else label = answer.value.trim();
  }
  return {
    endpoints,
    warmup: questions.includes("warmup") ? (parseWarmup(warmup) ?? { kind: "none" }) : known.warmup,
    label,
  };
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
    ...step,
    validate: (text) => (text.length <= LONGEST_LABEL ? undefined : t`At most ${LONGEST_LABEL} characters.`),
  });
}
