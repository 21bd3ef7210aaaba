import { t } from "@vscode/l10n";
import { useState } from "preact/hooks";
import type { FamilySummary } from "../../src/protocol/index.js";
import { plural } from "../../src/core/text/plural.js";
import { useView } from "../state/context.js";
import { pinnedFirst } from "../state/layout.js";
import { elideMiddle } from "../shorten/text-group.js";
import { Button } from "./button.js";
import { Popover } from "./popover.js";
import { matching, SearchList } from "./search-list.js";
import type { ComponentChildren } from "preact";

interface FamilyListProps {
  readonly families: readonly FamilySummary[];
  readonly onPick: (family: FamilySummary) => void;
  readonly isChosen?: (family: FamilySummary) => boolean;
  /** Several may be ticked, and picked together. */
  readonly onPickAll?: (families: readonly FamilySummary[]) => void;
}

/**
 * Families under their groups, the pinned ones before all; found by name, display name, description, unit or server,
 * and by what practitioners call them.
 */
export function FamilyList({ families, onPick, isChosen, onPickAll }: FamilyListProps) {
  const { layout, menu } = useView();
  const [ticked, setTicked] = useState<readonly FamilySummary[]>([]);
  const { pinned } = layout.layout.value;
  const groups = [...new Set(families.map((family) => family.group))];
  const sorted = families
    .map((family) => ({
      id: family.name,
      text: family.displayName,
      also: `${family.name} ${family.description} ${family.type} ${family.unit ?? ""} ${family.server ?? ""} ${family.group}`,
      group: pinned.includes(family.name) ? t("Pinned") : family.group,
      family,
    }))
    .sort((a, b) => groups.indexOf(a.family.group) - groups.indexOf(b.family.group));
  const items = pinnedFirst(sorted, pinned, ({ family }) => family.name);
  const units = new Set(ticked.map(shownUnitOf));
  const tick = ({ family }: { readonly family: FamilySummary }) => {
    const others = ticked.filter(({ name }) => name !== family.name);
    setTicked(others.length < ticked.length ? others : [...ticked, family]);
  };
  return (
    <>
      <SearchList<(typeof items)[number]>
        label={t("Search metrics, such as ttft, itl, queue, kv or throughput")}
        find={(search) => matching(items, search)}
        onPick={(item) => onPick(item.family)}
        isTicked={({ family }) => ticked.some(({ name }) => name === family.name)}
        onTick={onPickAll && tick}
        onMenu={({ family }, anchor) =>
          (menu.value = {
            anchor,
            subject: {
              family: family.name,
              shows: layout.layout.peek().tab === "statistics" ? "statistics" : "course",
            },
          })
        }
        isChosen={(item) => isChosen?.(item.family) ?? false}
        render={({ family }) => <FamilyOption family={family} />}
      />
      {onPickAll !== undefined && ticked.length > 0 && (
        <div class="popover-actions">
          <span class="muted">
            {units.size > 1
              ? t("Of different units: a chart for each unit.")
              : plural(ticked.length, t("metric ticked"), t("metrics ticked"))}
          </span>
          <Button
            primary
            text={
              ticked.length === 1
                ? t("Add Chart")
                : units.size > 1
                  ? t`Add ${units.size} Charts`
                  : t("Add as One Chart")
            }
            onClick={() => onPickAll(ticked)}
          />
        </div>
      )}
    </>
  );
}

interface FamilyPickerProps {
  /** Where none is chosen. */
  readonly label: string;
  readonly families: readonly FamilySummary[];
  readonly chosen: FamilySummary | undefined;
  readonly onPick: (family: FamilySummary) => void;
}

/** A button that says which family is chosen, and opens the list of all. */
export function FamilyPicker({ label, families, chosen, onPick }: FamilyPickerProps) {
  const name = chosen === undefined ? undefined : elideMiddle(chosen.displayName, 48);
  return (
    <Popover
      label={name === undefined ? label : t`${label.replace("…", "")}, now ${name}`}
      icon="search"
      text={name ?? label}
    >
      {(close) => (
        <FamilyList
          families={families}
          isChosen={(one) => one.name === chosen?.name}
          onPick={(one) => {
            onPick(one);
            close();
          }}
        />
      )}
    </Popover>
  );
}

/** What families of one chart have in common: counters are drawn as rates. */
export function shownUnitOf({ type, unit = "count" }: Pick<FamilySummary, "type" | "unit">): string {
  return type === "counter" ? `${unit}/s` : unit;
}

interface FamilyOptionProps {
  readonly family: FamilySummary;
  /** Beneath the names. */
  readonly children?: ComponentChildren;
}

/** A family in a list: its title, the engine that exposes it and the exposed name in full; its type and its series. */
export function FamilyOption({ family, children }: FamilyOptionProps) {
  const { displayName, server, name, hint, description, type, seriesCount } = family;
  return (
    <>
      <span class="option-text" title={[name, hint, description].filter((part) => part !== undefined).join("\n")}>
        <span class="option-names">
          <span>{displayName}</span>
          {server !== undefined && <span class="option-chip">{server}</span>}
          <span class="option-name muted">{name}</span>
        </span>
        {children}
      </span>
      <span class="option-value muted">{`${type} · ${plural(seriesCount, t("series"), t("series"))}`}</span>
    </>
  );
}
