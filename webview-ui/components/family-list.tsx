import type { FamilySummary } from "../../src/protocol/index.js";
import { plural } from "../../src/core/text/plural.js";
import { useSiblings } from "../shorten/use-siblings.js";
import { useView } from "../state/context.js";
import { pinnedFirst } from "../state/layout.js";
import { OptionName } from "./option-name.js";
import { matching, SearchList } from "./search-list.js";

interface FamilyListProps {
  readonly families: readonly FamilySummary[];
  readonly onPick: (family: FamilySummary) => void;
  readonly isChosen?: (family: FamilySummary) => boolean;
}

/**
 * Families under their groups, the pinned ones before all; found by name, display name, description, unit or server.
 */
export function FamilyList({ families, onPick, isChosen }: FamilyListProps) {
  const { layout, menu } = useView();
  const { pinned } = layout.layout.value;
  const among = useSiblings(families.map(({ displayName }) => displayName));
  const groups = [...new Set(families.map((family) => family.group))];
  const sorted = families
    .map((family) => ({
      id: family.name,
      text: family.displayName,
      also: `${family.name} ${family.description} ${family.type} ${family.unit ?? ""} ${family.server ?? ""} ${family.group}`,
      group: pinned.includes(family.name) ? "Pinned" : family.group,
      family,
    }))
    .sort((a, b) => groups.indexOf(a.family.group) - groups.indexOf(b.family.group));
  const items = pinnedFirst(sorted, pinned, ({ family }) => family.name);
  return (
    <SearchList
      label="Search metrics"
      find={(search) => matching(items, search)}
      onPick={(item) => onPick(item.family)}
      onMenu={({ family }, anchor) =>
        (menu.value = {
          anchor,
          subject: { family: family.name, shows: layout.layout.peek().tab === "statistics" ? "statistics" : "course" },
        })
      }
      isChosen={(item) => isChosen?.(item.family) ?? false}
      render={({ family }) => (
        <>
          <span
            class="option-text"
            title={[family.name, family.hint, family.description].filter((part) => part !== undefined).join("\n")}
          >
            <OptionName title={family.displayName} name={family.name} among={among} />
          </span>
          <span class="option-value muted">{`${family.type} · ${plural(family.seriesCount, "series", "series")}`}</span>
        </>
      )}
    />
  );
}
