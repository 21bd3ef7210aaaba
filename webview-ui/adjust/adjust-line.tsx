import { t } from "@vscode/l10n";
import { describeError, type RunHeader, type OpenedFile } from "../../src/protocol/index.js";
import { Button, IconButton } from "../components/button.js";
import { Select, Choice, type ChoiceOption } from "../components/choice.js";
import { formatClock } from "../format/time.js";
import type { RunningAction } from "../state/action.js";
import { useView } from "../state/context.js";
import {
  phaseAdjustment,
  phaseChoice,
  warmupText,
  windowOfZoom,
  windowText,
  fileName,
  fileOptions,
  formatName,
  COMMON_SLICES,
  parseSlice,
} from "./text.js";
import { formatValue } from "../../src/core/catalog/display.js";
import { Icon } from "../components/icon.js";
import { elideMiddle } from "../shorten/text-group.js";
import type { WindowRule } from "../../src/core/model/index.js";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";

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

/** The file a run was read from, the other files of the run, and what the one that is shown lacks. */
export function FileLine({ file, action }: { readonly file: OpenedFile; readonly action: RunningAction }) {
  const { run } = useView();
  return (
    <div class="file-line">
      <span class="file-own" title={file.path}>
        <Icon name="file" /> {elideMiddle(fileName(file.path), 56)}
      </span>
      <span class="muted">
        {formatName(file.format)}, {formatValue(file.bytes, "bytes")}
      </span>
      {file.siblings.length > 0 && (
        <Select
          label={t("Show the run, or one of its files alone")}
          value={file.alone === true ? file.path : ""}
          options={fileOptions(file)}
          onSelect={(path) => action.start(run.client.call("showFile", path === "" ? {} : { path }))}
        />
      )}
      {file.lacks !== undefined && (
        <span class="file-lacks">
          <Icon name="info" /> {file.lacks}
        </span>
      )}
    </div>
  );
}

const RULES: readonly ChoiceOption<WindowRule>[] = [
  { value: "load", text: t("Load"), title: t("Statistics, findings and charts are of the load alone") },
  {
    value: "all",
    text: t("Whole run"),
    title: t("Statistics, findings and charts are of all that was captured"),
  },
];

/** What is measured of a run whose load is known, and the switch between that and all of it. */
export function Measured({ header, action }: { readonly header: RunHeader; readonly action: RunningAction }) {
  const { run } = useView();
  const { load, adjustable, state } = header;
  // A window that was chosen is what is measured: the line below says it.
  if (load === undefined || header.window !== undefined) return null;
  const free = load.switchable && (adjustable || state === "capturing");
  return (
    <div class="adjust-line measured">
      <span>{load.text}</span>
      {free && (
        <Choice
          label={t("What is measured")}
          options={RULES}
          value={load.rule}
          onChoose={(windowRule) => action.start(run.client.call("adjust", { windowRule }))}
        />
      )}
      {load.changes !== undefined && <span class="muted">{load.changes}</span>}
    </div>
  );
}

const NO_LENGTH = t("A slice's length is a number of seconds above 0, such as 5 or 0.5.");

/** The length of slices: Enter applies what was typed or picked from the list, Escape takes back what was typed. */
function SliceLength({ seconds }: { readonly seconds: number }) {
  const { run } = useView();
  const input = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const id = useId();
  const show = () => {
    if (input.current !== null) input.current.value = String(seconds);
  };
  useLayoutEffect(show, [seconds]);

  const apply = () => {
    const wanted = parseSlice(input.current?.value ?? "");
    setProblem(wanted === undefined ? NO_LENGTH : undefined);
    if (wanted === undefined || wanted === seconds) return;
    run.client.call("adjust", { sliceSeconds: wanted }).catch((error: unknown) => {
      const { code, message, remedy } = describeError(error);
      if (code !== "cancelled")
        setProblem([message.replace(/\.?$/, "."), remedy].filter((part) => part !== undefined).join(" "));
    });
  };
  const revert = () => {
    setProblem(undefined);
    show();
  };
  return (
    <div class="slice-length">
      <label for={id}>{t("Slice:")}</label>
      <input
        id={id}
        ref={input}
        class="input slice-input"
        inputMode="decimal"
        autocomplete="off"
        list={`${id}-common`}
        title={t("Length of timeslices in seconds; Enter applies it")}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-problem`}
        onKeyDown={(event) => {
          if (event.key === "Enter") apply();
          else if (event.key === "Escape") revert();
        }}
        // What was not applied does not stay to be taken for what holds.
        onBlur={() => problem === undefined && show()}
      />
      <datalist id={`${id}-common`}>
        {COMMON_SLICES.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <span>s</span>
      <span class="slice-problem tone-error" id={`${id}-problem`} role="alert">
        {problem}
      </span>
    </div>
  );
}
