import { t } from "@vscode/l10n";
import type { FamilySummary } from "../../src/protocol/index.js";
import { Choice } from "../components/choice.js";
import type { CardMode } from "../state/chart-mode.js";
import { modesOf } from "./mode.js";

interface ModeSwitchProps {
  readonly title: string;
  readonly family: FamilySummary;
  readonly mode: CardMode;
  readonly onMode: (mode: CardMode) => void;
}

/** What a chart's card shows of its family. */
export function ModeSwitch({ title, family, mode, onMode }: ModeSwitchProps) {
  const options = modesOf(family, mode).map((one) => ({
    value: one.mode,
    text: one.name,
    title: one.title,
    icon: one.icon,
  }));
  return <Choice label={t`What the chart of ${title} shows`} options={options} value={mode} onChoose={onMode} />;
}
