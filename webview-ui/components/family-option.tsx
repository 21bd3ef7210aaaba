import { t } from "@vscode/l10n";
import type { ComponentChildren } from "preact";
import { plural } from "../../src/core/text/plural.js";
import type { FamilySummary } from "../../src/protocol/index.js";

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
