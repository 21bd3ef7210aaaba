import { t } from "@vscode/l10n";
import type { RunHeader } from "../../src/protocol/index.js";
import { Button, IconButton } from "../components/button.js";
import { Select } from "../components/select.js";
import { formatClock } from "../format/time.js";
import type { RunningAction } from "../state/action.js";
import { useView } from "../state/context.js";
import { phaseAdjustment, phaseChoice } from "./phases.js";
import { SliceLength } from "./slice-length.js";
import { warmupText, windowOfZoom, windowText } from "./text.js";

/** What all statistics run over, and the means to change it, of a run whose samples are at rest. */
export function AdjustLine({ header, action }: { readonly header: RunHeader; readonly action: RunningAction }) {
  const { run } = useView();
  const { window, adjustable, originMs } = header;
  const viewport = run.viewport.value;
  const phases = phaseChoice(header);
  // A file of statistics has its phases, but no samples to compute others from.
  if (!adjustable && phases === undefined) return null;
  const choosePhase = (value: string) => {
    const adjustment = phaseAdjustment(value, header);
    if (adjustment !== undefined) action.start(run.client.call("adjust", adjustment));
  };
  const zoomed = viewport === undefined ? undefined : windowOfZoom(viewport, header);
  return (
    <div class="adjust-line" role="group" aria-label={t("Window and slices")}>
      {adjustable && <SliceLength seconds={header.sliceDurationSeconds} />}
      {phases !== undefined && <Select label={t("Phase of the run")} {...phases} onSelect={choosePhase} />}
      <span class="adjust-window">
        {window === undefined ? (
          header.recordedProfilingStart === undefined &&
          header.load === undefined && (
            <span>{t`Window: ${header.profilingStart > 0 ? t("without warm-up") : t("whole run")}`}</span>
          )
        ) : (
          <Chosen
            text={windowText(window, header.profilingStart)}
            title={t`${formatClock(originMs, window.start)} – ${formatClock(originMs, window.end)}\nAll statistics cover this range`}
            what={t("window")}
            onBack={() => action.start(run.client.call("adjust", { window: "recorded" }))}
          />
        )}
        {header.recordedProfilingStart !== undefined && (
          <Chosen
            text={warmupText(header)}
            title={t("All statistics begin where the warm-up ends")}
            what={t("warm-up")}
            onBack={() => action.start(run.client.call("adjust", { profilingStart: "recorded" }))}
          />
        )}
        {adjustable && zoomed !== undefined && (
          <Button
            text={t("Use Zoom as Window")}
            title={t("All statistics will cover the range that the charts show now")}
            onClick={() => action.start(run.client.call("adjust", { window: zoomed }))}
          />
        )}
      </span>
    </div>
  );
}

interface ChosenProps {
  readonly text: string;
  readonly title: string;
  /** What the user has changed: "window". */
  readonly what: string;
  readonly onBack: () => void;
}

/** What the user has changed, with the way back. */
function Chosen({ text, title, what, onBack }: ChosenProps) {
  return (
    <>
      <span class="adjust-chosen" title={title}>
        {text}
      </span>
      <IconButton icon="discard" label={t`Go back to the recorded ${what}`} onClick={onBack} />
    </>
  );
}
