import { t } from "@vscode/l10n";
import { textOfCell, TIME } from "../../src/core/library/runs.js";
import type { ShownHistory } from "../../src/protocol/library.js";
import { useWidth } from "../charts/plot-axes.js";
import { TextList } from "../components/text-list.js";

const HEIGHT = 72;
const MARGIN = { side: 8, top: 10, bottom: 10 } as const;

interface HistoryProps {
  readonly history: ShownHistory;
  /** Of the runs on both sides of a step. */
  readonly compare: (runs: readonly string[]) => void;
}

/** Each metric over the runs, the oldest first: where it changed for good, and the commits in between. */
export function History({ history: { runs, courses }, compare }: HistoryProps) {
  const steps = (course: ShownHistory["courses"][number]) => course.steps.at(-1)?.at ?? -1;
  const sorted = courses.toSorted((a, b) => steps(b) - steps(a));
  const [first, last] = [runs[0], runs.at(-1)];
  return (
    <div class="history">
      <p class="muted">
        {first === undefined || last === undefined || courses.length === 0
          ? t("The history is that of the metrics among the columns: choose some, such as TTFT p99.")
          : t`From ${textOfCell(first.time, TIME)} to ${textOfCell(last.time, TIME)} (UTC). A step is a change that lasts; it takes five runs to tell one. Filter the table to runs of one load.`}
      </p>
      {sorted.map((course) => (
        <section key={course.column.name} class="history-course">
          <h2 title={course.column.name}>{course.column.title}</h2>
          <Line course={course} runs={runs} />
          {course.steps.length === 0 ? (
            <p class="muted">{t("no step")}</p>
          ) : (
            <ul class="note-list">
              {course.steps.toReversed().map(({ at, verdict, text, commits }) => {
                const sides = runs.slice(at - 1, at + 1).map(({ id }) => id);
                return (
                  <li key={at}>
                    <span class={`history-${verdict}`}>{textOfCell(runs[at]?.time ?? null, TIME)}</span>
                    {`: ${text} `}
                    <button type="button" class="link" onClick={() => compare(sides)}>
                      {t("Compare")}
                    </button>
                    {commits.length > 0 && (
                      <TextList class="history-commits" label={t("Commits in between")} items={commits} />
                    )}
                  </li>
                );
              })}
            </ul>
          )}
        </section>
      ))}
    </div>
  );
}

/** A point a run, evenly, and the level before and after each step. */
function Line({
  course: { column, values, steps },
  runs,
}: Pick<HistoryProps["history"], "runs"> & { readonly course: ShownHistory["courses"][number] }) {
  const [box, width] = useWidth<HTMLDivElement>();
  const known = values.filter((value) => !Number.isNaN(value));
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const x = (i: number) => MARGIN.side + (i / Math.max(1, values.length - 1)) * (width - 2 * MARGIN.side);
  const y = (value: number) =>
    HEIGHT - MARGIN.bottom - ((value - least) / (most - least || 1)) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const levels = steps.flatMap(({ at, before, after }, i) => [
    ...(i === 0 ? [{ from: 0, to: at - 1, level: before }] : []),
    { from: at, to: (steps[i + 1]?.at ?? values.length) - 1, level: after },
  ]);
  return (
    <div ref={box} class="history-line">
      {width > 0 && (
        <svg
          class="plot"
          width={width}
          height={HEIGHT}
          role="img"
          aria-label={t`${column.title} over ${known.length} runs`}
        >
          {levels.map(({ from, to, level }) => (
            <line key={from} class="history-level" x1={x(from)} x2={x(to)} y1={y(level)} y2={y(level)} />
          ))}
          {steps.map(({ at, verdict }) => (
            <line
              key={at}
              class={`history-step history-${verdict}`}
              x1={(x(at - 1) + x(at)) / 2}
              x2={(x(at - 1) + x(at)) / 2}
              y1={0}
              y2={HEIGHT}
            />
          ))}
          {values.map((value, i) =>
            Number.isNaN(value) ? null : (
              <circle key={runs[i]?.id} class="history-point" cx={x(i)} cy={y(value)} r={3}>
                <title>{`${runs[i]?.id ?? ""}\n${textOfCell(value, column.unit)}`}</title>
              </circle>
            ),
          )}
        </svg>
      )}
    </div>
  );
}
