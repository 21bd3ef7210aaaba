import { ConfigurationTarget, workspace, type Disposable } from "vscode";
import type { ComparisonSettings } from "../../protocol/comparison.js";
import { objectivesOf, SETTINGS } from "../settings/definitions.js";
import { readSetting, writeSetting } from "../settings/read.js";

/** How runs are compared by the settings. @throws UserError for one that cannot be read */
export function readComparisonSettings(): ComparisonSettings {
  return {
    threshold: readSetting(SETTINGS.compareThreshold) / 100,
    labelRules: readSetting(SETTINGS.compareLabelRules),
    directions: readSetting(SETTINGS.compareDirections),
    objectives: objectivesOf(readSetting(SETTINGS.slo)),
  };
}

/** Tells of settings that were changed, by whomever. */
export function onComparisonSettings(listener: () => void): Disposable {
  const keys = [SETTINGS.compareThreshold, SETTINGS.compareLabelRules, SETTINGS.compareDirections, SETTINGS.slo].map(
    ({ key }) => key,
  );
  return workspace.onDidChangeConfiguration((event) => {
    if (keys.some((key) => event.affectsConfiguration(key))) listener();
  });
}

/**
 * Keeps what was changed in a view with the workspace, for later comparisons. Without a workspace it holds for that one
 * comparison alone.
 */
export async function saveComparisonSettings({
  threshold,
  labelRules,
  directions,
}: Partial<ComparisonSettings>): Promise<void> {
  if (workspace.workspaceFolders === undefined) return;
  const target = ConfigurationTarget.Workspace;
  // In per cent with the digits a person would type.
  if (threshold !== undefined)
    await writeSetting(SETTINGS.compareThreshold, Number((threshold * 100).toPrecision(6)), target);
  if (labelRules !== undefined) await writeSetting(SETTINGS.compareLabelRules, labelRules, target);
  if (directions !== undefined) await writeSetting(SETTINGS.compareDirections, directions, target);
}
