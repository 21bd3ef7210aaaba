import { t } from "@vscode/l10n";
import { plural } from "../../src/core/text/plural.js";
import type { Viewport } from "../state/run-store.js";
import { useFold } from "../state/fold.js";
import { changeText, type ChangeMark } from "./changes.js";
import { usePageTime } from "./page-time.js";

interface ChangeListProps {
  readonly marks: readonly ChangeMark[];
  readonly whole: Viewport;
  readonly family: string;
  readonly title: string;
}

/** Of the run, on either side of a change that is shown. */
const AROUND = 0.08;

/** What the marks in a chart say, in words: a line with their number, and the list when it is opened. */
export function ChangeList({ marks, whole, family, title }: ChangeListProps) {
  const { viewport } = usePageTime();
  const fold = useFold(`changes ${family}`, false);
  if (marks.length === 0) return null;
  const levels = marks.filter(({ kind }) => kind === "level-change").length;
  const outliers = marks.length - levels;
  const show = ({ from, to }: ChangeMark) => {
    const room = AROUND * (whole.to - whole.from);
    viewport.value = { from: Math.max(whole.from, from - room), to: Math.min(whole.to, to + room) };
  };
  return (
    <details class="fold changes" {...fold} aria-label={t`Marked in the chart of ${title}`}>
      <summary class="muted">
        {levels > 0 && (
          <span class="change-count">
            <Glyph kind="level-change" rises={true} /> {plural(levels, t("level change"), t("level changes"))}
          </span>
        )}
        {outliers > 0 && (
          <span class="change-count">
            <Glyph kind="outlier" rises={true} /> {plural(outliers, t("outlier"), t("outliers"))}
          </span>
        )}
      </summary>
      <ul class="note-list">
        {marks.map((mark) => (
          <li key={mark.text}>
            <Glyph kind={mark.kind} rises={mark.rises} />{" "}
            <button type="button" class="link" title={t("Zoom to it")} onClick={() => show(mark)}>
              {changeText(mark)}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** As it stands beneath the chart's axis. */
function Glyph({ kind, rises }: Pick<ChangeMark, "kind" | "rises">) {
  const triangle = rises ? "M5 1 L9 9 L1 9 Z" : "M5 9 L9 1 L1 1 Z";
  return (
    <svg class="change-glyph" width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
      <path d={kind === "level-change" ? triangle : "M5 1 L9 5 L5 9 L1 5 Z"} fill="currentColor" />
    </svg>
  );
}
