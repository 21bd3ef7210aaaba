import { commands, workspace, type ConfigurationTarget, type Disposable } from "vscode";
import { scrapeLimits, type ProvenanceOptions } from "../../core/model/index.js";
import { useSecretParameters, toMilliseconds } from "../../core/text/index.js";
import type { CaptureOptions, CollectOptions } from "../../protocol/engine.js";
import { SETTINGS } from "./definitions.js";
import type { Setting } from "./setting.js";

const MIB = 1024 ** 2;

/** The value in effect. @throws UserError when it is not one the setting accepts. */
export function readSetting<T>(setting: Setting<T>): T {
  return setting.parse(workspace.getConfiguration().get<unknown>(setting.key, setting.default));
}

/** What the user's own settings have, as it is written; undefined where they have nothing. */
export function userValue({ key }: Setting<unknown>): unknown {
  return workspace.getConfiguration().inspect<unknown>(key)?.globalValue;
}

/** Whether the value in effect is the workspace's, which may have come with a repository. */
export function isOfWorkspace({ key }: Setting<unknown>): boolean {
  const found = workspace.getConfiguration().inspect<unknown>(key);
  return found?.workspaceValue !== undefined || found?.workspaceFolderValue !== undefined;
}

/** Writes a setting. @param target the user's settings or the workspace's */
export async function writeSetting<T>(setting: Setting<T>, value: T, target: ConfigurationTarget): Promise<void> {
  await workspace.getConfiguration().update(setting.key, value, target);
}

/** The folder of this machine that is open; undefined where none is. */
export function openedFolder(): string | undefined {
  return workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file")?.uri.fsPath;
}

/** What captures record of where they came from; undefined: nothing. @throws UserError */
export function readProvenance(): ProvenanceOptions | undefined {
  const parts = readSetting(SETTINGS.provenance);
  const folder = openedFolder();
  return parts.length === 0 ? undefined : { parts, ...(folder === undefined ? {} : { folder }) };
}

/** How endpoints are scraped, all but the endpoints themselves. @throws UserError */
export function readCollectSettings(): CollectOptions & Pick<CaptureOptions, "reachabilityTimeoutMs"> {
  return {
    intervalMs: toMilliseconds(readSetting(SETTINGS.interval)),
    scrapeTimeoutMs: toMilliseconds(readSetting(SETTINGS.scrapeTimeout)),
    reachabilityTimeoutMs: toMilliseconds(readSetting(SETTINGS.reachabilityTimeout)),
    flushPeriodMs: toMilliseconds(readSetting(SETTINGS.flushPeriod)),
    limits: scrapeLimits((option) => readSetting(SETTINGS[option])),
    include: readSetting(SETTINGS.include),
    exclude: readSetting(SETTINGS.exclude),
  };
}

/**
 * Keeps the names of secret query parameters as the setting has them, for what is opened and captured from then on.
 * @param onWrong called when the setting cannot be used: the names before it stay
 */
export function followSecretParameters(onWrong: (error: unknown) => void): Disposable {
  const apply = () => {
    try {
      useSecretParameters(readSetting(SETTINGS.secretParameters));
    } catch (error) {
      onWrong(error);
    }
  };
  apply();
  return onSettings([SETTINGS.secretParameters], apply);
}

/** Tells when one of these settings is changed, by whomever. */
export function onSettings(settings: readonly Pick<Setting<unknown>, "key">[], listener: () => void): Disposable {
  return workspace.onDidChangeConfiguration((event) => {
    if (settings.some(({ key }) => event.affectsConfiguration(key))) listener();
  });
}

/** The most that a journal takes, bytes. @throws UserError */
export function readJournalLimitBytes(): number {
  return Math.round(readSetting(SETTINGS.journalLimit) * MIB);
}

/** Opens the settings editor. @param query what it shows; absent: all of this extension's */
export async function openSettings(query = "@ext:server-metrics.server-metrics"): Promise<void> {
  await commands.executeCommand("workbench.action.openSettings", query);
}
