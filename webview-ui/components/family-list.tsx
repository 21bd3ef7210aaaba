import type { FamilySummary } from "../../src/protocol/index.js";
import { elideMiddle, plural } from "../format/text.js";
import { SearchList } from "./search-list.js";

interface FamilyListProps {
  readonly families: readonly FamilySummary[];
  readonly onPick: (family: FamilySummary) => void;
  readonly isChosen?: (family: FamilySummary) => boolean;
}

/** Families under their groups, found by name, display name, description, unit or server. */
export function FamilyList({ families, onPick, isChosen }: FamilyListProps) {
  const groups = [...new Set(families.map((family) => family.group))];
  const items = families
    .map((family) => ({
      id: family.name,
      text: family.displayName,
      also: `${family.name} ${family.description} ${family.type} ${family.unit ?? ""} ${family.server ?? ""}`,
      group: family.group,
      family,
    }))
    .sort((a, b) => groups.indexOf(a.group) - groups.indexOf(b.group));
  return (
    <SearchList
      label="Search metrics"
      items={items}
      onPick={(item) => onPick(item.family)}
      isChosen={(item) => isChosen?.(item.family) ?? false}
      render={({ family }) => (
        <>
          <span class="option-text" title={`${family.name}\n${family.description}`}>
            {elideMiddle(family.displayName, 52)}
          </span>
          <span class="option-value muted">{`${family.type} · ${plural(family.seriesCount, "series", "series")}`}</span>
        </>
      )}
    />
  );
}
