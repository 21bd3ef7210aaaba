import { t } from "@vscode/l10n";
import type { SeriesId } from "../../src/core/model/index.js";
import type { ChartData, FamilySummary } from "../../src/protocol/index.js";
import { IconButton, Button } from "../components/button.js";
import { Icon } from "../components/icon.js";
import { Choice } from "../components/choice.js";
import { Popover } from "../components/popover.js";
import { SilenceMark, useSilence } from "../dashboards/silence.js";
import { plural } from "../../src/core/text/plural.js";
import { elideMiddle, useTextGroup } from "../shorten/text-group.js";
import { FamilyMenuButton, PinButton } from "../menu/family-menu.js";
import { savedMode, USUAL_COUNT, type CardMode } from "../state/chart-mode.js";
import { useView, useAnswer } from "../state/context.js";
import type { ChartEntry } from "../state/layout.js";
import type { ChartOfMenu, MenuSubject, ChosenSeries } from "../state/menu.js";
import { drawnUnit } from "./model.js";
import { modesOf, type CardAnswer } from "./modes.js";
import { useState } from "preact/hooks";
import { Unanswered } from "../components/message.js";
import { matching, SearchList } from "../components/search-list.js";
import { distinguishingNames, fullName } from "../format/text.js";
import { TruncatedText } from "../shorten/truncated-text.js";
import { formatValue } from "../../src/core/catalog/display.js";

interface CardHeaderProps {
  readonly entry: ChartEntry;
  readonly title: string;
  readonly family: FamilySummary | undefined;
  readonly answer: CardAnswer | undefined;
  readonly mode: CardMode;
  /** All series as median, band and outliers, or a histogram's as one. */
  readonly many: boolean;
  readonly onAll: () => void;
  readonly maximised: boolean;
  readonly onMaximise: () => void;
  readonly menu: { readonly subject: MenuSubject; readonly chart: ChartOfMenu };
}

const USUAL_STATISTIC = { gauge: "average", unknown: "average", counter: "rate", histogram: "average" } as const;
const QUANTITY = { gauge: "value", unknown: "value", counter: "rate", histogram: "p50 · p90 · p99 · avg" } as const;

/** Title, what is shown of how many series, and what can be done with the chart. */
export function CardHeader({
  entry,
  title,
  family,
  answer,
  mode,
  many,
  onAll,
  maximised,
  onMaximise,
  menu,
}: CardHeaderProps) {
  const { layout } = useView();
  const { text: silence } = useSilence(family === undefined ? [] : [family]);
  const data = answer?.lines;
  const drawn = [...new Set(data?.lines.map((line) => line.series) ?? [])];
  const total = mode === "lines" ? (data?.seriesTotal ?? 0) : (family?.seriesCount ?? 0);
  // Where nothing else says that there are more series than are drawn, the button does.
  const modes = family === undefined ? [] : modesOf(family, mode);
  const hides = mode === "lines" && !many && total > drawn.length;
  const picker = () =>
    family !== undefined && (
      <Popover
        label={t`Choose series of ${title}`}
        align="right"
        {...(hides ? { text: t("Choose…") } : { icon: "list-filter" })}
      >
        {() => (
          <SeriesPicker
            family={family}
            chosen={entry.series}
            drawn={drawn}
            onChoose={(series) => layout.changeChart(entry.id, { series })}
          />
        )}
      </Popover>
    );
  return (
    <header class="card-header">
      <div class="card-titles">
        <h2
          class="card-title"
          title={[entry.family, family?.hint, family?.computed, family?.description]
            .filter((part) => part !== undefined)
            .join("\n")}
        >
          {elideMiddle(title, 120)}
        </h2>
        <div class="card-subtitle muted">
          {title !== entry.family && <span class="card-name">{entry.family}</span>}
          {family?.computed !== undefined && <span>{family.computed}</span>}
          <SilenceMark text={silence.value} />
          {mode !== "lines" && (
            <span>
              {answer?.mode === mode && answer.lines === undefined
                ? answer.subtitle(entry, total)
                : t("over the window")}
            </span>
          )}
          {family !== undefined && mode === "lines" && (
            <span>
              {[QUANTITY[family.type], data === undefined ? "" : drawnUnit(data)]
                .filter((part) => part !== "")
                .join(", ")}
            </span>
          )}
          {many && data !== undefined && (
            <span class="card-count">
              {family?.type === "histogram"
                ? t`${plural(total, t("series"), t("series"))} as one `
                : t`median, p10 to p90 and outliers of ${plural(total, t("series"), t("series"))} `}
              <button type="button" class="link" title={t("Draw the series one by one")} onClick={onAll}>
                {t("show series")}
              </button>
            </span>
          )}
          {!many && total > drawn.length && drawn.length > 0 && (
            <span class="card-count">
              {t`showing ${drawn.length} of ${plural(total, t("series"), t("series"))} `}
              {entry.series === undefined && family !== undefined && (
                <button
                  type="button"
                  class="link"
                  title={t("Rank all series of the family")}
                  onClick={() => layout.changeChart(entry.id, { mode: "ranking" })}
                >
                  {t`top ${USUAL_COUNT} by ${USUAL_STATISTIC[family.type]}`}
                </button>
              )}
            </span>
          )}
        </div>
      </div>
      <div class="card-actions">
        {modes.length > 1 && (
          <Choice
            label={t`What the chart of ${title} shows`}
            options={modes}
            value={mode}
            onChoose={(next) => layout.changeChart(entry.id, { mode: savedMode(next) })}
          />
        )}
        {total > 1 && mode !== "ranking" && picker()}
        <PinButton family={entry.family} title={title} />
        <button
          type="button"
          class="icon-button"
          aria-label={`${maximised ? t("Restore") : t("Maximise")} ${title}`}
          title={maximised ? t("Restore (Escape)") : t("Maximise: as large as the view")}
          aria-pressed={maximised}
          onClick={onMaximise}
        >
          <Icon name={maximised ? "screen-normal" : "screen-full"} />
        </button>
        <FamilyMenuButton title={title} {...menu} />
        <IconButton
          icon="close"
          label={t`Remove the chart of ${title}`}
          title={t("Remove this chart")}
          onClick={() => layout.remove(entry.id)}
        />
      </div>
    </header>
  );
}

/** The chosen series that the chart has drawn. */
export function chosenSeries(chosen: readonly SeriesId[], data: ChartData | undefined): readonly ChosenSeries[] {
  const drawn = new Map(
    data?.lines.map(({ series, endpointUrl, labels }) => [series, { id: series, endpointUrl, labels }]),
  );
  return chosen.flatMap((id) => drawn.get(id) ?? []);
}

interface SeriesPickerProps {
  readonly family: FamilySummary;
  /** Undefined: as many as fit. */
  readonly chosen: readonly SeriesId[] | undefined;
  /** Those that are drawn now. */
  readonly drawn: readonly SeriesId[];
  readonly onChoose: (series: readonly SeriesId[] | undefined) => void;
}

/** Chooses which series of a family a chart draws. */
function SeriesPicker({ family, chosen, drawn, onChoose }: SeriesPickerProps) {
  const { run } = useView();
  const query = useAnswer("series", { family: family.name }, 5000);
  const [picked, setPicked] = useState<ReadonlySet<SeriesId>>(new Set(chosen ?? drawn));
  const series = query.latest.value;
  if (series === undefined) return <Unanswered live={query} what={t("series")} />;

  const names = distinguishingNames(series, run.header.peek()?.endpoints);
  const items = series.map((one, i) => {
    const name = names[i] ?? "";
    return {
      id: String(one.id),
      series: one.id,
      text: name === "" ? family.displayName : name,
      title: fullName(one),
      last: one.last,
    };
  });
  const group = useTextGroup(items.map(({ text }) => text));
  const choose = (next: ReadonlySet<SeriesId>) => {
    setPicked(next);
    onChoose(next.size === 0 ? undefined : [...next]);
  };
  return (
    <>
      <SearchList
        label={t`Search ${plural(series.length, t("series"), t("series"))}, e.g. reason=stop`}
        find={(search) => matching(items, search)}
        multiple
        isChosen={(item) => picked.has(item.series)}
        onPick={(item) => {
          const next = new Set(picked);
          if (!next.delete(item.series)) next.add(item.series);
          choose(next);
        }}
        render={(item) => (
          <>
            <span class="option-text" title={item.title}>
              <TruncatedText text={item.text} group={group} />
            </span>
            <span class="option-value">
              {formatValue(item.last, family.type === "histogram" ? undefined : family.unit)}
            </span>
          </>
        )}
      />
      <div class="popover-actions">
        <span class="muted">
          {chosen === undefined ? t("as many as fit") : plural(picked.size, t("series chosen"), t("series chosen"))}
        </span>
        <Button
          text={t("Reset")}
          onClick={() => {
            setPicked(new Set(drawn));
            onChoose(undefined);
          }}
        />
      </div>
    </>
  );
}
