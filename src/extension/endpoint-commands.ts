import { t } from "@vscode/l10n";
import { UserError } from "../core/text/errors.js";
import { validateUrl } from "../collect/url.js";
import { forgetAllJson } from "../engine/capture/json-endpoints.js";
import { discoverEndpoints } from "./capture/discover.js";
import { endpointName } from "./capture/endpoint-items.js";
import type { EngineRun } from "./engine.js";
import { withAccess } from "./capture/request.js";
import { startCapture, type StartParts } from "./capture/start.js";
import type { Notifier } from "./notify.js";
import { SETTINGS } from "./settings/definitions.js";
import { forgetEndpoint, isSaved, saveEndpoints } from "./settings/endpoints.js";
import { readSetting } from "./settings/read.js";
import { askInput, pickOne } from "./workbench-text.js";
import { plural } from "../core/text/plural.js";

/** Asks for a URL and keeps it in the settings for the captures to come. */
export async function addEndpoint(parts: StartParts): Promise<void> {
  const typed = await askInput({
    title: t("Add Endpoint"),
    prompt: t("URL of a metrics endpoint. The default scheme is http, the default path /metrics."),
    placeholder: "localhost:8000",
    validate: (text) => (text === "" ? undefined : validateUrl(text)),
  });
  if (typed === undefined || typed.trim() === "") return;
  await keep(parts, [await parts.headers.takeCredentials(typed)]);
}

/** Finds local endpoints and keeps those chosen in the settings. */
export async function discoverAndSave(parts: StartParts): Promise<void> {
  const found = await discoverEndpoints(parts.spawnEngine, parts.notifier);
  const urls = found?.map(({ url }) => url) ?? [];
  if (urls.length > 0) await keep(parts, urls);
}

/** In the settings, and says so. */
async function keep(parts: StartParts, urls: readonly string[]): Promise<void> {
  await saveEndpoints(
    urls.map((url) => ({ url, enabled: true })),
    parts.headers.origins,
  );
  const names = urls.map(endpointName).join(", ");
  const running = parts.captures.state.kind !== "idle";
  parts.notifier.info(
    t`Saved to the settings: ${names}.${running ? t(" The next capture includes it; the one in progress is not changed.") : ""}`,
    ...(running ? [] : [{ title: t("Start Capture"), run: () => startCapture(parts) }]),
  );
}

/** Has the next capture ask `/metrics` of the endpoints again where it was JSON. */
export async function forgetJsonEndpoints(notifier: Notifier): Promise<void> {
  const urls = await forgetAllJson();
  notifier.info(
    urls.length === 0
      ? t("No endpoint is known whose /metrics returned JSON.")
      : t`The next capture asks ${urls.join(", ")} again. Where it is still JSON, this reading removes it for other readers.`,
  );
}

/** Servers that a workspace, a file or an agent names are asked for again. */
export async function forgetApprovedServers({ headers, notifier }: StartParts): Promise<void> {
  const count = await headers.origins.forget();
  notifier.info(
    count === 0
      ? t("No server has been approved.")
      : t`${plural(count, t("approval"), t("approvals"))} taken back: you will be asked again.`,
  );
}

/** For the endpoint of the tree row, else for one of the settings. */
export async function setEndpointHeaders(parts: StartParts, fromTree: string | undefined): Promise<void> {
  const url = fromTree ?? (await pickSaved());
  if (url === undefined || !(await parts.headers.edit(url))) return;
  const { active } = parts.captures;
  const isCaptured = active?.header?.endpoints.some((one) => one.url === url) === true;
  if (active !== undefined && isCaptured) await replaceEndpoint(parts, active, url, url);
  parts.notifier.info(
    t`The headers of ${endpointName(url)} were saved.${isCaptured ? t(" They are sent from now on.") : ""}`,
  );
}

/** Asks for another address of an endpoint that is captured, and goes on with that. */
export async function editEndpointUrl(parts: StartParts, run: EngineRun, url: string): Promise<void> {
  const typed = await askInput({
    title: t`Edit URL of ${endpointName(url)}`,
    prompt: isSaved(url) ? t("For this capture; the settings keep the URL they have.") : t("For this capture."),
    value: url,
    validate: (text) => validateUrl(text),
  });
  if (typed !== undefined && typed.trim() !== url)
    await replaceEndpoint(parts, run, url, await parts.headers.takeCredentials(typed.trim()));
}

async function replaceEndpoint(parts: StartParts, run: EngineRun, url: string, by: string): Promise<void> {
  const label = run.header?.endpoints.find((one) => one.url === url)?.label;
  const chosen = { url: by, origin: "typed", ...(label === undefined ? {} : { label }) } as const;
  for (const endpoint of await withAccess([chosen], parts.headers))
    await run.engine.client.call("replaceEndpoint", { url, endpoint });
  await run.refresh();
}

async function pickSaved(): Promise<string | undefined> {
  const saved = readSetting(SETTINGS.endpoints);
  if (saved.length === 0)
    throw new UserError(
      t("There are no endpoints in the settings."),
      t("Add one with “Server Metrics: Add Endpoint”."),
    );
  const picked = await pickOne(
    saved.map(({ url, label }) => ({ label: label ?? endpointName(url), description: url, url })),
    { title: t("Set Endpoint Headers"), placeHolder: t("Choose an endpoint") },
  );
  return picked?.url;
}

/** Scrapes an endpoint again that the capture has left out. */
export async function retryEndpoint(run: EngineRun, url: string): Promise<void> {
  await run.engine.client.call("retryEndpoint", { url });
}

/** Takes the endpoint out of the capture; what it has delivered stays. */
export async function removeEndpoint(parts: StartParts, run: EngineRun, url: string): Promise<void> {
  await run.engine.client.call("removeEndpoint", { url });
  await run.refresh();
  const message = t`${endpointName(url)} is no longer scraped; its samples stay in the capture.`;
  if (isSaved(url))
    parts.notifier.info(message, { title: t("Remove from Settings Too"), run: () => forgetEndpoint(url) });
  else parts.notifier.log.info(message);
}
