import { t } from "@vscode/l10n";
import { LONGEST_LABEL } from "../../core/model/index.js";
import { SETTINGS, parseWarmup } from "../settings/definitions.js";
import { readSetting } from "../settings/read.js";
import { askText, type DialogAnswer, type Step } from "../workbench-text.js";
import { askEndpoints, type QuestionParts } from "./pick-endpoints.js";
import type { CaptureRequest } from "./request.js";

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
