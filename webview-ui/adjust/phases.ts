import { t } from "@vscode/l10n";
import type { RunAdjustment, RunHeader } from "../../src/protocol/index.js";

export interface PhaseChoice {
  /** Of the option that stands for the present window. */
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly text: string }[];
}

const RECORDED = "recorded";
const OTHER = "other";
/** Before a phase's name, which may be any word. */
const NAMED = t("phase ");

/** What the window can be set to by name; undefined of a run without phases. */
export function phaseChoice({
  phases = [],
  window,
  load,
}: Pick<RunHeader, "phases" | "window" | "load">): PhaseChoice | undefined {
  if (phases.length === 0) return undefined;
  const present = phases.find(({ start, end }) => start === window?.start && end === window.end);
  const other = window !== undefined && present === undefined;
  const hasWarmup = phases.some(({ kind }) => kind === "warmup");
  const recorded = hasWarmup ? t("All but the warm-up") : t("Whole run");
  return {
    value: other ? OTHER : present === undefined ? RECORDED : NAMED + present.name,
    options: [
      // The recorded window leaves the warm-up out.
      { value: RECORDED, text: load?.rule === "load" ? t("Load") : recorded },
      ...phases.map(({ name }) => ({ value: NAMED + name, text: name })),
      ...(other ? [{ value: OTHER, text: t("Part of the run") }] : []),
    ],
  };
}

/** What sets the window to a choice; undefined for the window that is there. */
export function phaseAdjustment(value: string, { phases = [] }: Pick<RunHeader, "phases">): RunAdjustment | undefined {
  if (value === RECORDED) return { window: "recorded" };
  const phase = phases.find(({ name }) => NAMED + name === value);
  return phase === undefined ? undefined : { window: { start: phase.start, end: phase.end } };
}
