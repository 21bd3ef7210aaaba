import type { Tile, WatchLevel } from "../../src/protocol/index.js";
import { Icon, type IconName } from "../components/icon.js";
import { TruncatedText } from "../shorten/short.js";
import { formatValue, splitValue, unitBeside } from "../../src/core/catalog/display.js";
import { useView } from "../state/context.js";
import { Sparkline } from "./sparkline.js";
import { statisticName } from "./statistic.js";

/** The key metrics of the servers found; activating one shows its chart. */
export function Tiles({ tiles, label = "Key metrics" }: { readonly tiles: readonly Tile[]; readonly label?: string }) {
  if (tiles.length === 0) return null;
  return (
    <section class="tiles" aria-label={label}>
      {tiles.map((tile) => (
        <TileView key={tile.id} tile={tile} />
      ))}
    </section>
  );
}

const WATCH: { readonly [L in WatchLevel]: { readonly icon: IconName; readonly name: string } | undefined } = {
  none: undefined,
  warning: { icon: "warning", name: "Watch" },
  critical: { icon: "error", name: "Critical" },
};

const DIRECTION = {
  up: { icon: "arrow-up", text: "higher is better" },
  down: { icon: "arrow-down", text: "lower is better" },
  neutral: undefined,
} as const;

function TileView({ tile }: { readonly tile: Tile }) {
  const { layout } = useView();
  const value = splitValue(tile.value, tile.unit);
  const { number } = value;
  const unit = unitBeside(value);
  const watch = WATCH[tile.watch];
  const direction = DIRECTION[tile.direction];
  const statistic = statisticName(tile.statistic);
  const interval =
    tile.interval !== undefined && tile.interval[1] > tile.interval[0]
      ? `between ${formatValue(tile.interval[0], tile.unit)} and ${formatValue(tile.interval[1], tile.unit)} (90 %)`
      : undefined;
  const hint = [tile.family, interval, tile.hint, tile.watchReason, tile.note, "Activate to show its chart"]
    .filter((part) => part !== undefined)
    .join("\n");
  return (
    <button
      type="button"
      class={`tile watch-${tile.watch}`}
      title={hint}
      onClick={() => layout.dispatch({ kind: "show", family: tile.family })}
    >
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
        {!(statistic === "/s" && unit.endsWith("/s")) && <span class="tile-statistic">{statistic}</span>}
      </span>
      {tile.current !== undefined && !Number.isNaN(tile.value) && (
        <span class="tile-now muted">now {formatValue(tile.current, tile.unit)}</span>
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
