import { t } from "@vscode/l10n";
import { UserError } from "../../core/text/errors.js";
import { candidateUrls, normalizeUrl } from "../../collect/url.js";
import { forgetJson, jsonWords } from "../../engine/capture/json-endpoints.js";
import type { Reachability } from "../../protocol/index.js";
import type { MessageAction } from "../notify.js";
import { isUnapproved, mayCapture } from "../origins.js";
import { withEngineProgress } from "../progress.js";
import { parseWarmup, SETTINGS } from "../settings/definitions.js";
import { isSaved, saveEndpoints } from "../settings/endpoints.js";
import { openSettings, readSetting } from "../settings/read.js";
import { confirm } from "../workbench-text.js";
import { isCancelled, words } from "../words.js";
import { askForRequest, QUESTIONS, type PresetRequest } from "./ask-request.js";
import { type ChosenEndpoint, rememberSet } from "./endpoint-items.js";
import { moveJournal } from "./journals.js";
import { demoEndpoint, type QuestionParts } from "./pick-endpoints.js";
import { metricsText, reachabilityText } from "./reachability.js";
import { offerRecovery, type RecoverParts } from "./recover.js";
import { captureOptions, type CaptureRequest } from "./request.js";
import { EngineRun } from "../engine.js";
import { stopCapture } from "./write-artifacts.js";
import { watchRun } from "./running.js";

const NO_WARMUP = { kind: "none" } as const;

export interface StartParts extends QuestionParts, RecoverParts {
  /** Whoever reads the journal finds it elsewhere now. */
  onMoved(): void;
}

/**
 * From the command to a running capture: endpoints (those of the settings, else asked for), warm-up and label, the test
 * of the endpoints, the live view. Leaves nothing behind when given up on the way.
 * @param given what need not be asked for, such as the demo server just started
 */
export async function startCapture(parts: StartParts, given: PresetRequest = {}): Promise<void> {
  if (parts.captures.state.kind !== "idle") throw runsAlready();
  if (!(await mayCapture())) return;
  const endpoints = given.endpoints ?? savedEndpoints();
  const known = { endpoints, warmup: given.warmup ?? NO_WARMUP, label: given.label ?? "" };
  const isKnown = {
    endpoints: endpoints.length > 0,
    warmup: given.warmup !== undefined,
    label: given.label !== undefined,
  };
  const questions = QUESTIONS.filter((question) => !isKnown[question]);
  const request = await askForRequest(parts, known, questions);
  if (request !== undefined) await begin(parts, request);
}

/**
 * A capture of the endpoints in the settings as soon as the window is open, where the settings ask for it: without
 * questions, with their warm-up and without a label.
 */
export async function startCaptureOnOpen(parts: StartParts): Promise<void> {
  const endpoints = savedEndpoints();
  if (!readSetting(SETTINGS.startOnOpen) || endpoints.length === 0 || !(await mayCapture())) return;
  const request = { endpoints, warmup: parseWarmup(readSetting(SETTINGS.warmup)) ?? NO_WARMUP, label: "" };
  try {
    await begin(parts, request, false);
  } catch (error) {
    if (!isUnapproved(error)) throw error;
    parts.notifier.info(error.message, { title: t("Review…"), run: () => begin(parts, request) });
  }
}

function savedEndpoints(): readonly ChosenEndpoint[] {
  return readSetting(SETTINGS.endpoints)
    .filter((endpoint) => endpoint.enabled)
    .map(({ url, label }) => ({ url, origin: "settings", ...(label === undefined ? {} : { label }) }));
}

function runsAlready(): UserError {
  return new UserError(t("A capture is already running in this window."), t("Stop it before starting another."));
}

/** @param mayAsk for what a workspace names. @throws UserError "not-approved" */
async function begin(parts: StartParts, request: CaptureRequest, mayAsk = true): Promise<void> {
  const { captures, notifier } = parts;
  const journalPath = await parts.journals.create();
  const options = await captureOptions(request, parts.headers, journalPath, mayAsk);
  // Another start may have gone ahead while the questions stood open.
  if (captures.state.kind !== "idle") throw runsAlready();
  captures.setState({ kind: "preparing" });
  const engine = parts.spawnEngine("capture");
  const run = new EngineRun(engine);
  run.journalPath = journalPath;
  run.onDidEnd(() => parts.journals.release(journalPath));
  try {
    const count = options.endpoints.length;
    const title = count === 1 ? t("Testing the endpoint") : t`Testing ${count} endpoints`;
    await withEngineProgress(engine.client, { title, request: "startCapture" }, (signal) =>
      engine.client.call("startCapture", options, signal),
    );
    captures.setState({ kind: "capturing", run });
    captures.setLatest(run);
    watchRun(run, captures, notifier, {
      showRun: () => parts.showRun(run),
      stopCapture: () => stopCapture(captures, parts),
      moveJournal: () => moveJournal(parts, run),
      recover: () => offerRecovery(parts, true),
    });
    notifier.run(rememberSet(parts.memory, request.endpoints));
    await run.refresh();
    parts.showRun(run);
    // One that hangs holds up neither the capture nor its view.
    notifier.run(engine.client.call("tested", {}).then((results) => announceStart(parts, results, request, run)));
  } catch (error) {
    if (captures.active === run) throw error;
    captures.setState({ kind: "idle" });
    await engine.dispose();
    // Cancelled during the first scrapes, the engine has not got round to it.
    await parts.journals.remove(journalPath);
    if (!isCancelled(error)) failedStart(parts, request, error);
  }
}

function failedStart(parts: StartParts, request: CaptureRequest, error: unknown): void {
  const nothingReachable = error instanceof UserError && error.code === "nothing-reachable";
  const again: MessageAction = { title: t("Retry"), run: () => begin(parts, request) };
  if (!nothingReachable) {
    parts.notifier.error(error, again);
    return;
  }
  const edit: MessageAction = {
    title: t("Edit Endpoints"),
    run: () =>
      request.endpoints.some((one) => one.origin === "settings")
        ? openSettings(SETTINGS.endpoints.key)
        : editAndStart(parts, request),
  };
  const demo: MessageAction = {
    title: t("Use Demo Server"),
    run: async () => begin(parts, { ...request, endpoints: [await demoEndpoint(parts.demo)] }),
  };
  const { length } = request.endpoints;
  if (length > 1) parts.notifier.log.error(words(error));
  const why =
    length > 1 ? t`none of ${length} endpoints can be reached. The log says what is wrong with each.` : words(error);
  parts.notifier.error(new UserError(t`The capture has not started: ${why}`), again, edit, demo);
}

async function editAndStart(parts: StartParts, before: CaptureRequest): Promise<void> {
  const request = await askForRequest(parts, before, QUESTIONS);
  if (request !== undefined) await begin(parts, request);
}

/** A sentence of a message, and the button that belongs to it. */
interface Offer {
  readonly text: string;
  readonly action: MessageAction;
}

/** Where `/metrics` is JSON, and how to have it asked again. */
function jsonOffers(parts: StartParts, results: readonly Reachability[], request: CaptureRequest): Offer[] {
  const alone = jsonAlone(results);
  const offers = alone.length > 0 ? [statisticsOffer(parts, alone, request)] : [];
  const others = results.filter(({ json }) => json?.state !== "alone");
  const texts = others.map(jsonWords).filter((text) => text !== undefined);
  if (texts.length === 0) return offers;
  const again: MessageAction = {
    title: t("Retry JSON Endpoints"),
    run: () => forgetJson(others.flatMap(({ json }) => (json === undefined ? [] : [json.url]))),
  };
  return [...offers, { text: texts.join(" "), action: again }];
}

function jsonAlone(results: readonly Reachability[]): readonly string[] {
  return results.flatMap(({ json }) => (json?.state === "alone" ? [json.url] : []));
}

const RECORD = t("Record Them");
const START_AGAIN = t("Stop and Start Again");

/**
 * JSON is all that these answer at `/metrics`: reading it costs others, so it is asked for. One question settles it: a
 * message that follows may be one too many for the workbench.
 */
function statisticsOffer(parts: StartParts, urls: readonly string[], request: CaptureRequest): Offer {
  const run = async () => {
    const capturing = parts.captures.state.kind === "capturing";
    const chosen = await confirm(
      t("Record TensorRT-LLM's iteration statistics?"),
      [
        t`${urls.join(", ")}: each reading takes them away from all other readers, such as a dashboard or the server's own Prometheus metrics.`,
        ...(capturing
          ? [t`The capture that is running does not record them: "${RECORD}" begins with the next one.`]
          : []),
      ],
      ...(capturing ? [START_AGAIN, RECORD] : [RECORD]),
    );
    if (chosen === undefined) return;
    await saveEndpoints(
      urls.map((url) => ({ url, enabled: true, source: "iteration-statistics" })),
      parts.headers.origins,
    );
    if (chosen !== START_AGAIN) return;
    await stopCapture(parts.captures, parts);
    await begin(parts, request);
  };
  return {
    text: t`${urls.join(", ")} ${urls.length === 1 ? t("is") : t("are")} JSON, as TensorRT-LLM's iteration statistics are.`,
    action: { title: t("Record Iteration Statistics…"), run },
  };
}

/**
 * One message at the most: how many have metrics where some are missing, of which the page has a line each; who answers
 * JSON; else the offer to keep typed and discovered endpoints in the settings.
 */
function announceStart(
  parts: StartParts,
  results: readonly Reachability[],
  request: CaptureRequest,
  run: EngineRun,
): void {
  const { notifier } = parts;
  const alone = jsonAlone(results);
  const isJson = (url: string) => candidateUrls(normalizeUrl(url)).some((one) => alone.includes(one));
  const fresh = request.endpoints.filter(
    ({ origin, url }) => (origin === "typed" || origin === "discovered") && !isSaved(url) && !isJson(url),
  );
  const save: MessageAction = {
    title: t("Save Endpoints"),
    run: () =>
      saveEndpoints(
        fresh.map(({ url, label }) => ({ url, enabled: true, ...(label === undefined ? {} : { label }) })),
        parts.headers.origins,
      ),
  };
  notifier.log.info(reachabilityText(results));
  const isMissing = results.some((one) => !one.reachable);
  const offers = jsonOffers(parts, results, request);
  const missing: MessageAction = { title: t("Show Endpoints"), run: () => parts.showRun(run) };
  const saving = t`Save ${fresh.length === 1 ? t("the endpoint") : t("them")} to the settings? The next capture then starts without asking.`;
  if (isMissing) offers.push({ text: metricsText(results), action: missing });
  else if (fresh.length > 0) offers.push({ text: `${metricsText(results)} ${saving}`, action: save });
  if (offers.length === 0) return;
  const text = offers.map((offer) => offer.text).join(" ");
  const actions = offers.map(({ action }) => action);
  if (isMissing) notifier.warn(text, ...actions);
  else notifier.info(text, ...actions);
}
