import { t } from "@vscode/l10n";
import type { Tile, WatchLevel } from "../../src/protocol/index.js";
import { Icon, type IconName } from "../components/icon.js";
import { TruncatedText } from "../shorten/truncated-text.js";
import { plural } from "../../src/core/text/plural.js";
import { formatValue, splitValue, unitBeside } from "../../src/core/catalog/display.js";
import { SilenceMark, useSilence } from "../dashboards/silence.js";
import { useView, useFold } from "../state/context.js";
import { holdsWords } from "../tables/filter.js";
import { statisticName } from "../format/text.js";

interface TilesProps {
  readonly tiles: readonly Tile[];
  readonly label?: string;
}

/** The key metrics of the servers found; activating one shows its chart. Those without anything to see are a line. */
export function Tiles({ tiles, label = t("Key metrics") }: TilesProps) {
  const { filter } = useView().layout.layout.value;
  const fold = useFold(`quiet ${label}`, false);
  const shown = tiles.filter(({ title, family }) => holdsWords(filter, title, family));
  const quiet = shown.filter(isQuiet);
  if (shown.length === 0) return null;
  return (
    <section class="tile-group" aria-label={label}>
      <TileGrid tiles={shown.filter((tile) => !isQuiet(tile))} />
      {quiet.length > 0 && (
        <details class="fold" {...fold}>
          <summary>
            {quietText(quiet)} <span class="muted">{quiet.map(({ title }) => title).join(" · ")}</span>
          </summary>
          <TileGrid tiles={quiet} />
        </details>
      )}
    </section>
  );
}

function TileGrid({ tiles }: Pick<TilesProps, "tiles">) {
  return (
    <div class="tiles">
      {tiles.map((tile) => (
        <TileView key={tile.id} tile={tile} />
      ))}
    </div>
  );
}

/** Nothing but zeros, or no value at all. */
function isQuiet({ value, watch, sparkline }: Tile): boolean {
  return watch === "none" && !(value > 0 || value < 0) && sparkline.every((one) => one === 0 || Number.isNaN(one));
}

/** "7 metrics at 0, 1 without values" */
function quietText(tiles: readonly Tile[]): string {
  const zeros = tiles.filter(({ value }) => value === 0).length;
  const rest = tiles.length - zeros;
  if (zeros === 0) return t`${plural(rest, t("metric"), t("metrics"))} without values`;
  return t`${plural(zeros, t("metric"), t("metrics"))} at 0${rest === 0 ? "" : t`, ${rest} without values`}`;
}

const WATCH: { readonly [L in WatchLevel]: { readonly icon: IconName; readonly name: string } | undefined } = {
  none: undefined,
  warning: { icon: "warning", name: t("Watch") },
  critical: { icon: "error", name: t("Critical") },
};

const DIRECTION = {
  up: { icon: "arrow-up", text: t("higher is better") },
  down: { icon: "arrow-down", text: t("lower is better") },
  neutral: undefined,
} as const;

/** A rate's unit already says so. */
function rateSaid(statistic: string, unit: string): boolean {
  return statisticName(statistic) === "/s" && unit.endsWith("/s");
}

function TileView({ tile }: { readonly tile: Tile }) {
  const { layout } = useView();
  const { text: silence, gone } = useSilence([tile]);
  const value = splitValue(tile.value, tile.unit);
  const { number } = value;
  const unit = unitBeside(value);
  const watch = WATCH[tile.watch];
  const direction = DIRECTION[tile.direction];
  const statistic = [rateSaid(tile.statistic, unit) ? undefined : statisticName(tile.statistic), tile.combined]
    .filter((part) => part !== undefined)
    .join(", ");
  const interval =
    tile.interval !== undefined && tile.interval[1] > tile.interval[0]
      ? t`between ${formatValue(tile.interval[0], tile.unit)} and ${formatValue(tile.interval[1], tile.unit)} (90 %)`
      : undefined;
  const hint = [tile.family, interval, tile.hint, tile.watchReason, tile.note, t("Activate to show its chart")]
    .filter((part) => part !== undefined)
    .join("\n");
  return (
    <button type="button" class={`tile watch-${tile.watch}`} title={hint} onClick={() => layout.show(tile.family)}>
      <span class="tile-head">
        <span class="tile-title">{tile.title}</span>
        {direction !== undefined && <Icon name={direction.icon} label={direction.text} class="tile-direction" />}
      </span>
      <span class="exposed-name">
        <TruncatedText text={tile.family} />
      </span>
      <span class="tile-value">
        {tile.atLeast === true && <span class="tile-least">≥ </span>}
        <span class="tile-number">{number}</span>
        {unit !== "" && <span class="tile-unit">{unit}</span>}
        {statistic !== "" && <span class="tile-statistic">{statistic}</span>}
      </span>
      {silence.value !== "" && (
        <span class="tile-watch">
          <SilenceMark text={silence.value} />
        </span>
      )}
      {tile.current !== undefined && !Number.isNaN(tile.value) && !gone.value && (
        <span class="tile-now muted">{t`now ${formatValue(tile.current, tile.unit)}`}</span>
      )}
      {watch !== undefined && (
        <span class={`tile-watch tone-${tile.watch === "critical" ? "error" : "warning"}`}>
          <Icon name={watch.icon} label={watch.name} /> {tile.watchReason ?? watch.name}
        </span>
      )}
      {Number.isNaN(tile.value) && tile.note !== undefined ? (
        <span class="tile-note muted">{tile.note}</span>
      ) : (
        <Sparkline values={tile.sparkline} />
      )}
    </button>
  );
}

/** Its own units: the style sheet stretches it over what room there is. */
const SIZE = 100;
/** Room for the line's own width at both ends of the scale. */
const MARGIN = 5;

/** The recent past at a glance; NaN breaks the line. Its numbers stand beside it: decoration for a screen reader. */
export function Sparkline({ values }: { readonly values: Float64Array }) {
  const known = values.filter((value) => !Number.isNaN(value));
  // From zero, so that a small unrest does not look like a storm.
  const low = Math.min(0, ...known);
  const high = Math.max(...known);
  const step = SIZE / Math.max(1, values.length - 1);
  const x = (i: number) => (values.length === 1 ? SIZE : i * step);
  const y = (value: number) => SIZE - MARGIN - ((value - low) / (high > low ? high - low : 1)) * (SIZE - 2 * MARGIN);
  const isKnown = (i: number) => !Number.isNaN(values[i] ?? NaN);
  let line = "";
  let area = "";
  values.forEach((value, i) => {
    if (!isKnown(i)) return;
    const [begins, ends] = [!isKnown(i - 1), !isKnown(i + 1)];
    if (begins) {
      // A lone value has no line to its neighbours: it is as wide as the stretch it stands for.
      const left = ends ? Math.max(0, x(i) - step) : x(i);
      line += `M${left} ${y(value)}`;
      area += `M${left} ${SIZE}V${y(value)}`;
    }
    line += `L${x(i)} ${y(value)}`;
    area += `L${x(i)} ${y(value)}`;
    if (ends) area += `V${SIZE}Z`;
  });
  return (
    <span class="sparkline" aria-hidden="true">
      <svg viewBox={`0 0 ${SIZE} ${SIZE}`} preserveAspectRatio="none">
        <path class="sparkline-area" d={area} />
        <path class="sparkline-line" d={line} />
      </svg>
    </span>
  );
}
