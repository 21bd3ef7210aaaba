import { ConfigurationTarget, workspace } from "vscode";
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

/** All of these. */
export const COMPARISON_SETTINGS = [
  SETTINGS.compareThreshold,
  SETTINGS.compareLabelRules,
  SETTINGS.compareDirections,
  SETTINGS.slo,
];

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
