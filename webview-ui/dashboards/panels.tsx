import { t } from "@vscode/l10n";
import { useComputed } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { formatValue } from "../../src/core/catalog/display.js";
import type { Panel, PanelRow } from "../../src/protocol/index.js";
import { Unanswered } from "../components/message.js";
import { formatRelative, relativeSeconds } from "../format/time.js";
import { symbolOnly, statisticName } from "../format/text.js";
import { TruncatedText } from "../shorten/truncated-text.js";
import { plural } from "../../src/core/text/plural.js";
import { useAnswer, useInSight, useView, useRemembered } from "../state/context.js";
import { oneEndpoint, windowOf, type Narrowing, type RunStore } from "../state/run-store.js";
import { holdsWords } from "../tables/filter.js";
import { Sparkline } from "../tiles/tiles.js";
import { PanelHeat } from "./heat-images.js";
import { seriesColor } from "../charts/line-styles.js";

const REFRESH_MS = 5000;

interface PanelsProps {
  readonly server: string;
  readonly title: string;
  /** What the view is narrowed to. */
  readonly only: Narrowing | undefined;
}

/** The panels of a kind of server. */
export function Panels({ server, title, only }: PanelsProps) {
  const { run, layout } = useView();
  const grid = useRef<HTMLDivElement>(null);
  const inSight = useInSight(grid);
  const heat = useRemembered(`heat ${server}`, false);
  const live = useAnswer("dashboard", { server, ...oneEndpoint(only) }, REFRESH_MS, { keep: true, inSight });
  const panels = live.latest.value?.panels;
  const { filter } = layout.layout.value;
  const shown = (panels ?? []).filter(
    ({ title, rows }) =>
      rows.some((row) => !isZero(row)) && holdsWords(filter, title, ...rows.flatMap((row) => [row.title, row.family])),
  );
  const zeros = panels?.filter(({ rows }) => rows.length > 0 && rows.every(isZero)) ?? [];
  const empty = panels?.filter(({ missing, withoutValues }) => missing.length + withoutValues.length > 0) ?? [];
  return (
    <div ref={grid}>
      <Unanswered live={live} what={t("panels")} />
      {shown.some(({ rows }) => rows.some(({ family }) => isHistogram(run, family))) && (
        <label class="panel-choice">
          <input type="checkbox" checked={heat.open} onChange={(event) => heat.set(event.currentTarget.checked)} />{" "}
          {t("Latencies and lengths as heatmaps")}
        </label>
      )}
      <ul class="panels" aria-label={t`Panels of ${title}`}>
        {shown.map((panel) => (
          <PanelView key={panel.id} panel={panel} heat={heat.open} />
        ))}
      </ul>
      {zeros.length > 0 && <p class="muted">{t`At 0: ${zeros.map(({ title: name }) => name).join(", ")}.`}</p>}
      {empty.length > 0 && <Missing panels={empty} />}
    </div>
  );
}

/** Nothing was ever seen of it. */
function isZero({ figures, sparkline }: PanelRow): boolean {
  const none = (value: number) => value === 0 || Number.isNaN(value);
  return figures.every(({ value }) => none(value)) && sparkline.every(none);
}

function PanelView({ panel: { title, rows: all, stacked }, heat }: { readonly panel: Panel; readonly heat: boolean }) {
  const rows = all.filter((row) => !isZero(row));
  const zeros = all.filter(isZero);
  const parts = rows.filter(({ sparkline }) => sparkline.some((value) => !Number.isNaN(value)));
  const piled = stacked === true && parts.length > 1;
  const courses = useMemo(() => parts.map(({ sparkline }) => sparkline), [all]);
  const shares = piled ? sharesOf(parts) : [];
  // Rows of one family share its name, which stands above them; that of a single row stands below its own title.
  const [first] = rows;
  const shared = rows.length > 1 && rows.every(({ family }) => family === first?.family) ? first?.family : undefined;
  return (
    <li class="card panel" aria-label={title}>
      <h3 class="panel-title">
        {title}
        {piled && <span class="muted"> {t("averages, stacked")}</span>}
      </h3>
      {shared !== undefined && <ExposedName family={shared} />}
      {piled && (
        <span class="panel-line">
          <StackedAreas courses={courses} />
          <Scale top={stackedHeights(courses).highest} unit={first?.figures[0]?.unit} />
        </span>
      )}
      {rows.map((row) => (
        <Row
          key={`${row.family} ${row.title}`}
          row={row}
          panel={title}
          exposed={shared === undefined}
          heat={heat}
          {...(piled ? { part: { place: parts.indexOf(row), share: shares[parts.indexOf(row)] ?? NaN } } : {})}
        />
      ))}
      {parts.length > 0 && <TimeAxis />}
      {zeros.length > 0 && (
        <span class="muted" title={zeros.map(({ family }) => family).join("\n")}>
          {t`At 0: ${zeros.map(({ title: name }) => name).join(", ")}`}
        </span>
      )}
    </li>
  );
}

function ExposedName({ family }: { readonly family: string }) {
  return (
    <span class="exposed-name">
      <TruncatedText text={family} />
    </span>
  );
}

function isHistogram(run: RunStore, family: string): boolean {
  return run.familyByName.value.get(family)?.type === "histogram";
}

/** Of the sum of all averages. */
function sharesOf(rows: readonly PanelRow[]): readonly number[] {
  const averages = rows.map(({ figures }) => figures.find(({ statistic }) => statistic === "avg")?.value ?? NaN);
  const whole = averages.reduce((sum, value) => sum + (Number.isNaN(value) ? 0 : value), 0);
  return averages.map((value) => (whole > 0 ? value / whole : NaN));
}

interface RowProps {
  readonly row: PanelRow;
  readonly panel: string;
  /** Whether it names its family: not where the panel has named that of all rows. */
  readonly exposed: boolean;
  /** Histograms by bucket, not as a line. */
  readonly heat: boolean;
  /** Of a pile: its place from the top, and its share of the whole. */
  readonly part?: { readonly place: number; readonly share: number };
}

function Row({ row, panel, exposed, heat, part }: RowProps) {
  const { run, layout } = useView();
  const { title, family, figures, note, hint } = row;
  const isHeat = heat && isHistogram(run, family);
  return (
    <button
      type="button"
      class="panel-row"
      title={[family, hint, note, t("Activate to show its chart")].filter((part) => part !== undefined).join("\n")}
      onClick={() => layout.show(family)}
    >
      {(title !== panel || part !== undefined) && (
        <span class="panel-name">
          {part !== undefined && part.place >= 0 && <StackSwatch place={part.place} />} {title}
          {part !== undefined && !Number.isNaN(part.share) && ` ${formatValue(part.share, "ratio")}`}
        </span>
      )}
      {exposed && <ExposedName family={family} />}
      <span class="panel-figures">
        {figures.map(({ statistic, unit, value, atLeast }) => (
          <span key={statistic} class="panel-figure">
            <span class="muted">{`${statistic === "rate" ? "rate" : statisticName(statistic)} `}</span>
            <strong>{`${atLeast === true ? "≥ " : ""}${formatValue(value, unit)}`}</strong>
          </span>
        ))}
      </span>
      {isHeat ? <PanelHeat family={family} /> : part === undefined && <PanelLine row={row} />}
    </button>
  );
}

function PanelLine({ row: { sparkline, figures } }: Pick<RowProps, "row">) {
  const top = sparkline.reduce((most, value) => (value > most ? value : most), 0);
  return (
    <span class="panel-line">
      <Sparkline values={sparkline} />
      <Scale top={top} unit={figures[0]?.unit} />
    </span>
  );
}

/** The ends of the value axis of a picture beside it. */
function Scale({ top, unit }: { readonly top: number; readonly unit: string | undefined }) {
  return (
    <span class="panel-heat-range muted" aria-hidden="true">
      <span>{formatValue(top, symbolOnly(unit))}</span>
      <span>0</span>
    </span>
  );
}

/** The time axis of the pictures above it: the window. */
function TimeAxis() {
  const { run } = useView();
  const ends = useComputed(() => {
    const header = run.header.value;
    if (header === undefined) return "";
    const window = windowOf(header);
    const from = relativeSeconds(window.from, header.profilingStart);
    const to = relativeSeconds(window.to, header.profilingStart);
    return [from, (from + to) / 2, to].map((at) => formatRelative(at, to - from < 10 ? 1 : 0)).join("\n");
  }).value;
  return (
    <span class="panel-axis muted" aria-hidden="true">
      {ends.split("\n").map((end, i) => (
        <span key={i}>{end}</span>
      ))}
    </span>
  );
}

/** What the panels would show and had no value or no endpoint exposes, with what makes the server expose it. */
function Missing({ panels }: { readonly panels: readonly Panel[] }) {
  return (
    <details class="fold">
      <summary class="muted">{t`${plural(panels.length, t("panel"), t("panels"))} with data missing`}</summary>
      <ul class="note-list">
        {panels.map(({ id, title, withoutValues, missing, remedy }) => (
          <li key={id}>
            <strong>{title}:</strong>{" "}
            {missing.length > 0 && t`${missing.join(", ")} ${missing.length === 1 ? t("is") : t("are")} not exposed. `}
            {remedy !== undefined && <span class="muted">{remedy} </span>}
            {withoutValues.length > 0 && t`No values of ${withoutValues.join(", ")}.`}
          </li>
        ))}
      </ul>
    </details>
  );
}

/**
 * Courses on top of one another, the first at the top, as areas set off by lines; what each is, the rows below say. The
 * style sheet stretches them over what room there is.
 */
function StackedAreas({ courses }: { readonly courses: readonly Float64Array[] }) {
  const { tops, highest } = stackedHeights(courses);
  const last = Math.max(1, (tops[0]?.length ?? 0) - 1);
  return (
    <svg class="stacked" viewBox={`0 0 ${last} 1`} preserveAspectRatio="none" aria-hidden="true">
      {highest > 0 &&
        // From the top of the pile down: each covers what is not its own.
        tops.map((top, place) => (
          <polygon
            key={place}
            points={[`0,1`, ...Array.from(top, (value, i) => `${i},${1 - value / highest}`), `${last},1`].join(" ")}
            style={{ fill: seriesColor(place) }}
          />
        ))}
    </svg>
  );
}

/** A part's colour beside its name. */
function StackSwatch({ place }: { readonly place: number }) {
  return <span class="stack-swatch" aria-hidden="true" style={{ background: seriesColor(place) }} />;
}

/**
 * Where each of several courses ends when they are piled up, the first one on top. A stretch of which one knows nothing
 * counts as 0 there, and one of which none does as what came before it.
 * @param courses of equal stretches of one window; those of fewer points end together with the others
 */
export function stackedHeights(courses: readonly Float64Array[]): {
  readonly tops: readonly Float64Array[];
  readonly highest: number;
} {
  const points = Math.max(0, ...courses.map(({ length }) => length));
  const valueAt = (course: Float64Array, i: number) => course[i - (points - course.length)] ?? NaN;
  const tops = courses.map(() => new Float64Array(points));
  let highest = 0;
  for (let i = 0; i < points; i++) {
    const known = courses.some((course) => !Number.isNaN(valueAt(course, i)));
    let sum = 0;
    for (let c = courses.length - 1; c >= 0; c--) {
      const [top, course] = [tops[c], courses[c]];
      if (top === undefined || course === undefined) continue;
      const value = valueAt(course, i);
      sum += Number.isNaN(value) ? 0 : Math.max(0, value);
      top[i] = known ? sum : (top[i - 1] ?? 0);
    }
    highest = Math.max(highest, tops[0]?.[i] ?? 0);
  }
  return { tops, highest };
}
