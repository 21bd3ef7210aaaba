import { t } from "@vscode/l10n";
import { formatValue } from "../../src/core/catalog/display.js";
import type { ExperimentStatus } from "../../src/protocol/experiment.js";
import { Icon } from "../components/icon.js";

interface BlockStripProps {
  readonly experiment: Pick<ExperimentStatus, "runs" | "planned">;
  readonly isRunning: boolean;
  /** Absent where runs cannot be opened. */
  readonly open?: (folder: string) => void;
}

/** A run that was made, or one to come. */
type Slot = ExperimentStatus["planned"][number] & Partial<ExperimentStatus["runs"][number]>;

/** The runs in the order in which they were made, block by block, as wide as they took; then those to come. */
export function BlockStrip({ experiment: { runs, planned }, isRunning, open }: BlockStripProps) {
  const groups: { readonly title: string; readonly slots: Slot[] }[] = [];
  const all: readonly Slot[] = [...runs, ...planned];
  for (const slot of all) {
    const title = groupTitle(slot);
    const last = groups.at(-1);
    if (last?.title === title) last.slots.push(slot);
    else groups.push({ title, slots: [slot] });
  }
  const usual = Math.max(1, ...runs.map(({ seconds }) => seconds));
  return (
    <ol class="block-strip" aria-label={t("Runs in time")}>
      {groups.map(({ title, slots }, i) => (
        <li key={i}>
          <div class="muted">{title}</div>
          <div class="block-runs">
            {slots.map((slot) => {
              const { folder, configuration, seconds, problems } = slot;
              const style = { "--block-share": (seconds ?? usual) / usual };
              if (problems === undefined || seconds === undefined) {
                const isNow = isRunning && slot === planned[0];
                return (
                  <span key={folder} class="block-run block-planned" style={style}>
                    {isNow && <Icon name="loading" label={t("Under way")} />} {configuration}
                  </span>
                );
              }
              const counts = problems.length === 0;
              const text = `${configuration}, ${formatValue(seconds, "seconds")}, ${counts ? t("counts") : t`does not count: ${problems.join(" ")}`}`;
              return (
                <button
                  key={folder}
                  type="button"
                  class={`block-run ${counts ? "" : "block-invalid"}`}
                  style={style}
                  title={`${folder}\n${text}${open === undefined ? "" : t("\nOpen the run")}`}
                  aria-label={t`${open === undefined ? "A" : t("Open the")} run of ${title}: ${text}`}
                  disabled={open === undefined}
                  onClick={() => open?.(folder)}
                >
                  <Icon name={counts ? "pass" : "warning"} class={counts ? "tone-good" : "tone-warning"} />{" "}
                  {configuration}
                </button>
              );
            })}
          </div>
        </li>
      ))}
    </ol>
  );
}

function groupTitle({ load, level, block, attempt }: Slot): string {
  const where = level === undefined ? load : t`${load} at ${level}`;
  return `${where}, ${level === undefined ? t("block") : t("run")} ${block}${attempt === 2 ? t(", again") : ""}`;
}
