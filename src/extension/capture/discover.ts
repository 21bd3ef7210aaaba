import { t } from "@vscode/l10n";
import { withEngineProgress } from "../progress.js";
import type { SpawnEngine } from "../engine.js";
import type { Notifier } from "../notify.js";
import { SETTINGS } from "../settings/definitions.js";
import { openSettings, readSetting } from "../settings/read.js";
import { pickMany, type PickRow } from "../workbench-text.js";
import type { ChosenEndpoint } from "./endpoint-items.js";
import type { Reachability } from "../../protocol/index.js";
import { toMilliseconds } from "../../core/text/index.js";
import { plural } from "../../core/text/plural.js";

/** What one that answered is: "vLLM · 62 families · 3 ms". */
export function describeReachable(one: Reachability): string {
  const latency = one.latencyMs === undefined ? [] : [t`${Math.max(1, Math.round(one.latencyMs))} ms`];
  const servers = one.servers.length === 0 ? t("server not recognised") : one.servers.join(", ");
  return [servers, plural(one.families, t("family"), t("families")), ...latency].join(" · ");
}

/** What a test has found of one, in a line. */
export function describeTested(one: Reachability): string {
  if (one.answersInstead !== undefined) return one.answersInstead;
  return one.reachable ? t`up: ${describeReachable(one)}` : (one.problem?.reason ?? t("no answer"));
}

/**
 * Probes the local ports of the settings, with progress and Cancel, and lets the user choose among what answered.
 * @returns undefined when cancelled or nothing was found (which has then been said).
 */
export async function discoverEndpoints(
  spawnEngine: SpawnEngine,
  notifier: Notifier,
): Promise<readonly ChosenEndpoint[] | undefined> {
  const ports = readSetting(SETTINGS.discoveryPorts);
  const timeoutMs = Math.min(2000, toMilliseconds(readSetting(SETTINGS.reachabilityTimeout)));
  const engine = spawnEngine();
  let answers: readonly Reachability[];
  try {
    answers = await withEngineProgress(
      engine.client,
      { title: t("Discovering metrics endpoints"), request: "discover" },
      (signal) => engine.client.call("discover", { ports, timeoutMs }, signal),
    );
  } catch (error) {
    notifier.error(error);
    return undefined;
  } finally {
    await engine.dispose();
  }
  const found = answers.filter((one) => one.reachable);
  if (found.length === 0) {
    notifier.warn(
      t`No metrics endpoint answered on the local ports ${ports.join(", ")}. Start the server, or change the ports that are tried.`,
      {
        title: t("Change Ports"),
        run: () => openSettings(SETTINGS.discoveryPorts.key),
      },
    );
    return undefined;
  }
  const items: (PickRow & { readonly url: string })[] = found.map((one) => ({
    label: one.displayName,
    description: describeReachable(one),
    detail: one.url,
    picked: true,
    url: one.url,
  }));
  const picked = await pickMany(items, {
    title: t`Found metrics on ${found.length} of ${ports.length} ports`,
    placeHolder: t("Choose the endpoints to capture"),
    matchOnDescription: true,
    ignoreFocusOut: true,
  });
  return picked?.map(({ url }) => ({ url, origin: "discovered" }));
}
