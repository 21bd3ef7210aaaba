import { t } from "@vscode/l10n";
import { formatValue, rateUnit } from "../../src/core/catalog/display.js";
import type { SharesData } from "../../src/protocol/index.js";
import { seriesColor } from "../charts/colors.js";
import { Placeholder } from "../components/message.js";
import { Select } from "../components/select.js";
import { plural } from "../../src/core/text/plural.js";
import { hostOf } from "../format/text.js";
import { isSymbol } from "../format/unit.js";
import type { ModeProps } from "../state/chart-mode.js";
import { BarTable } from "./bar-table.js";
import { imbalanceText, IMBALANCE_HELP, shareText } from "./text.js";

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
