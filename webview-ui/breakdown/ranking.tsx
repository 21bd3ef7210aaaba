import { t } from "@vscode/l10n";
import type { RankingData } from "../../src/protocol/index.js";
import { seriesColor } from "../charts/colors.js";
import { RANKING_COUNTS, USUAL_COUNT, type ModeProps } from "../state/chart-mode.js";
import { Button } from "../components/button.js";
import { Placeholder } from "../components/message.js";
import { Select } from "../components/select.js";
import { plural } from "../../src/core/text/plural.js";
import { distinguishingNames, fullName } from "../format/text.js";
import { BarTable } from "./bar-table.js";
import { rankedValue } from "./text.js";

/** The series with the greatest values of a statistic, with bars in the colours of their lines. */
export function Ranking({ data, settings, header, title, colors, onSettings, onLines }: ModeProps<RankingData>) {
  const names = distinguishingNames(data.rows, header.endpoints);
  const greatest = Math.max(...data.values);
  return (
    <>
      <div class="mode-line" role="group" aria-label={t`What the series of ${title} are ranked by`}>
        <Select
          label={t("Statistic to rank by")}
          value={data.statistic.key}
          options={data.statistics.map((one) => ({ value: one.key, text: t`by ${one.title}` }))}
          onSelect={(statistic) => onSettings({ statistic })}
        />
        <Select
          label={t("How many series")}
          value={String(settings.count ?? USUAL_COUNT)}
          options={RANKING_COUNTS.map((count) => ({ value: String(count), text: t`top ${count}` }))}
          onSelect={(count) => onSettings({ count: Number(count) })}
        />
        {data.rows.length > 0 && (
          <Button
            text={t("Show as Lines")}
            title={t("Draw these series over time")}
            onClick={() => onLines(data.rows.map((row) => row.series))}
          />
        )}
      </div>
      {data.empty !== undefined ? (
        <Placeholder {...data.empty} />
      ) : (
        <BarTable
          label={t`Series of ${title} with the greatest ${data.statistic.title}`}
          nameTitle="series"
          cellTitles={[data.statistic.title]}
          rows={data.rows.map((row, i) => ({
            key: String(row.series),
            name: names[i] === "" ? title : (names[i] ?? ""),
            title: fullName(row),
            length: greatest > 0 ? (data.values[i] ?? 0) / greatest : 0,
            color: seriesColor(colors.slot(row.endpointUrl, row.labels)),
            cells: [rankedValue(data, i)],
            ...(row.note === undefined ? {} : { note: row.note }),
          }))}
        />
      )}
      {data.unranked > 0 && data.empty === undefined && (
        <p class="mode-note muted">{t`${plural(data.unranked, t("series has"), t("series have"))} no ${data.statistic.title} in the window.`}</p>
      )}
    </>
  );
}
