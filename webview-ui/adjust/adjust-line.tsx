import type { RunHeader } from "../../src/protocol/index.js";
import { Icon } from "../components/icon.js";
import { Select } from "../components/select.js";
import { formatClock } from "../format/time.js";
import type { Action } from "../state/action.js";
import { useView } from "../state/context.js";
import { phaseAdjustment, phaseChoice } from "./phases.js";
import { SliceLength } from "./slice-length.js";
import { warmupText, windowOfZoom, windowText } from "./text.js";

interface AdjustLineProps {
  readonly header: RunHeader;
  readonly action: Action;
}

/** What all statistics run over, and the means to change it, of a run whose samples are at rest. */
export function AdjustLine({ header, action }: AdjustLineProps) {
  const { run } = useView();
  const { window, adjustable, originMs } = header;
  const viewport = run.viewport.value;
  if (!adjustable) return null;
  const phases = phaseChoice(header);
  const choosePhase = (value: string) => {
    const adjustment = phaseAdjustment(value, header);
    if (adjustment !== undefined) action.start(run.client.call("adjust", adjustment));
  };
  const zoomed = viewport === undefined ? undefined : windowOfZoom(viewport, header);
  return (
    <div class="adjust-line" role="group" aria-label="Window and slices">
      <SliceLength seconds={header.sliceDurationSeconds} />
      {phases !== undefined && <Select label="Phase of the run" {...phases} onSelect={choosePhase} />}
      <span class="adjust-window">
        {window === undefined ? (
          header.recordedProfilingStart === undefined && <span class="muted">window as recorded</span>
        ) : (
          <>
            <span
              class="window-chosen"
              title={`${formatClock(originMs, window.start)} – ${formatClock(originMs, window.end)}\nAll statistics cover this range`}
            >
              {windowText(window, header.profilingStart)}
            </span>
            <vscode-button
              appearance="icon"
              aria-label="Go back to the recorded window"
              title="Go back to the recorded window"
              onClick={() => action.start(run.client.call("adjust", { window: "recorded" }))}
            >
              <Icon name="discard" />
            </vscode-button>
          </>
        )}
        {header.recordedProfilingStart !== undefined && (
          <>
            <span class="warmup-chosen" title="All statistics begin where the warm-up ends">
              {warmupText(header)}
            </span>
            <vscode-button
              appearance="icon"
              aria-label="Go back to the recorded warm-up"
              title="Go back to the recorded warm-up"
              onClick={() => action.start(run.client.call("adjust", { profilingStart: "recorded" }))}
            >
              <Icon name="discard" />
            </vscode-button>
          </>
        )}
        {zoomed !== undefined && (
          <vscode-button
            appearance="secondary"
            title="All statistics will cover the range that the charts show now"
            onClick={() => action.start(run.client.call("adjust", { window: zoomed }))}
          >
            Use Zoom as Window
          </vscode-button>
        )}
      </span>
    </div>
  );
}
