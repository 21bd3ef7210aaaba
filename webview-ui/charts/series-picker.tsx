import { t } from "@vscode/l10n";
import { useState } from "preact/hooks";
import type { SeriesId } from "../../src/core/model/index.js";
import type { FamilySummary } from "../../src/protocol/index.js";
import { Button } from "../components/button.js";
import { Unanswered } from "../components/message.js";
import { matching, SearchList } from "../components/search-list.js";
import { plural } from "../../src/core/text/plural.js";
import { distinguishingNames, fullName } from "../format/text.js";
import { TruncatedText } from "../shorten/truncated-text.js";
import { useTextGroup } from "../shorten/text-group.js";
import { formatValue } from "../../src/core/catalog/display.js";
import { useAnswer, useView } from "../state/context.js";

interface SeriesPickerProps {
  readonly family: FamilySummary;
  /** Undefined: as many as fit. */
  readonly chosen: readonly SeriesId[] | undefined;
  /** Those that are drawn now. */
  readonly drawn: readonly SeriesId[];
  readonly onChoose: (series: readonly SeriesId[] | undefined) => void;
}

/** Chooses which series of a family a chart draws. */
export function SeriesPicker({ family, chosen, drawn, onChoose }: SeriesPickerProps) {
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
