import { t } from "@vscode/l10n";
import type { RankingData, SharesData } from "../../src/protocol/index.js";
import { seriesColor } from "../charts/line-styles.js";
import { RANKING_COUNTS, USUAL_COUNT, type ModeProps } from "../state/chart-mode.js";
import { Button } from "../components/button.js";
import { Placeholder } from "../components/message.js";
import { Select } from "../components/choice.js";
import { plural } from "../../src/core/text/plural.js";
import { knownText } from "../format/estimate.js";
import { distinguishingNames, fullName, hostOf, isSymbol } from "../format/text.js";
import { formatValue, rateUnit } from "../../src/core/catalog/display.js";
import { imbalanceText, IMBALANCE_HELP, shareText } from "./text.js";
import { Icon } from "../components/icon.js";
import { TruncatedText } from "../shorten/truncated-text.js";
import { useTextGroup } from "../shorten/text-group.js";
import { PlainTable } from "../components/plain-table.js";

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
            cells: [
              knownText(
                data.values[i] ?? NaN,
                { lower: data.bounds?.lower[i] ?? NaN, upper: data.bounds?.upper[i] ?? NaN },
                data.statistic.unit,
              ),
            ],
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

const BY_ENDPOINT = "";

/** Whether the load is balanced: what falls on each endpoint, its share, and how uneven they are. */
export function Shares({ data, header, title, colors, onSettings }: ModeProps<SharesData>) {
  const { parts, shares, values, rates, by, measure, unit } = data;
  const greatest = Math.max(0, ...shares.filter((share) => !Number.isNaN(share)));
  const nameOf = (name: string) => {
    if (by !== undefined) return name === "" ? "(none)" : name;
    const endpoint = header.endpoints.find(({ url }) => url === name);
    return [endpoint?.displayName ?? hostOf(name), endpoint?.label].filter((part) => part !== undefined).join(" · ");
  };
  const counted = measure !== "mean";
  // A unit that is a word heads its column: in every cell it would take the room of names and bars.
  const word = counted && !isSymbol(unit) ? unit : undefined;
  return (
    <>
      <div class="mode-line" role="group" aria-label={t`How ${title} is split`}>
        {data.labels.length > 0 && (
          <Select
            label={t("What it is split by")}
            value={by ?? BY_ENDPOINT}
            options={[
              { value: BY_ENDPOINT, text: t("by endpoint") },
              ...data.labels.map((label) => ({ value: label, text: t`by ${label}` })),
            ]}
            onSelect={(label) => onSettings({ by: label })}
          />
        )}
        {data.imbalance !== undefined && (
          <span class="imbalance" title={IMBALANCE_HELP}>
            {imbalanceText(data.imbalance, by)}
          </span>
        )}
      </div>
      {data.empty !== undefined ? (
        <Placeholder {...data.empty} />
      ) : (
        <BarTable
          label={t`Shares of ${title}`}
          nameTitle={by ?? "endpoint"}
          cellTitles={["share", word ?? measure, ...(counted ? [word === undefined ? "rate" : rateUnit(word)] : [])]}
          {...(greatest > 0 && parts.length > 1
            ? { mark: { at: 1 / parts.length / greatest, title: t("An even share") } }
            : {})}
          rows={parts.map((part, i) => ({
            key: part.name,
            name: nameOf(part.name),
            title: `${part.name}\n${plural(part.series, t("series"), t("series"))}`,
            length: greatest > 0 ? (shares[i] ?? 0) / greatest : 0,
            ...(by === undefined ? { color: seriesColor(colors.slotOf(part.name)) } : {}),
            cells: [
              shareText(shares[i] ?? NaN),
              formatValue(values[i] ?? NaN, word === undefined ? unit : undefined),
              ...(counted ? [formatValue(rates[i] ?? NaN, word === undefined ? rateUnit(unit) : undefined)] : []),
            ],
            ...(part.note === undefined ? {} : { note: part.note }),
          }))}
        />
      )}
      {data.empty === undefined && parts.length === 1 && (
        <p class="mode-note muted">
          {by === undefined
            ? t("Only one endpoint reports it: there is nothing to balance.")
            : t`Only one value of ${by} has samples in the window.`}
        </p>
      )}
      {data.empty === undefined && parts.length > 1 && data.imbalance === undefined && (
        <p class="mode-note muted">{t("There is nothing above 0 to split in this window.")}</p>
      )}
    </>
  );
}

interface BarRow {
  readonly key: string;
  readonly name: string;
  readonly title: string;
  /** Length of the bar, 0 to 1. */
  readonly length: number;
  /** Where it has one of its own, CSS. */
  readonly color?: string;
  readonly cells: readonly string[];
  readonly note?: string;
}

interface BarTableProps {
  readonly label: string;
  readonly nameTitle: string;
  readonly cellTitles: readonly string[];
  readonly rows: readonly BarRow[];
  /** A place on all bars that is marked, 0 to 1, and what it means. */
  readonly mark?: { readonly at: number; readonly title: string };
}

/** A table whose rows each have a bar: name, bar, numbers. */
function BarTable({ label, nameTitle, cellTitles, rows, mark }: BarTableProps) {
  const group = useTextGroup(rows.map(({ name }) => name));
  return (
    <PlainTable
      label={label}
      class="bar-table"
      style={{ "--bar-cells": cellTitles.length }}
      heads={
        <>
          <th scope="col" class="bar-name">
            {nameTitle}
          </th>
          <td class="bar-column" aria-hidden="true" />
          {cellTitles.map((title) => (
            <th key={title} scope="col" class="number">
              {title}
            </th>
          ))}
        </>
      }
    >
      {rows.map((row) => (
        <tr key={row.key} title={row.note === undefined ? row.title : `${row.title}\n${row.note}`}>
          <th scope="row" class="bar-name">
            <TruncatedText text={row.name} group={group} />
            {row.note !== undefined && <Icon name="info" label={row.note} class="row-note" />}
          </th>
          <td class="bar-column" aria-hidden="true">
            <div class="bar-track">
              <div
                class="bar-length"
                style={{
                  width: `${100 * Math.max(0, Math.min(1, row.length))}%`,
                  ...(row.color === undefined ? {} : { backgroundColor: row.color }),
                }}
              />
              {mark !== undefined && <div class="bar-mark" title={mark.title} style={{ left: `${100 * mark.at}%` }} />}
            </div>
          </td>
          {row.cells.map((cell, i) => (
            <td key={i} class="number">
              {cell}
            </td>
          ))}
        </tr>
      ))}
    </PlainTable>
  );
}
