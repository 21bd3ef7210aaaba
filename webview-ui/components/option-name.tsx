import type { FamilySummary } from "../../src/protocol/index.js";

/** What a list calls a family, in full: its title, the engine that exposes it, and the exposed name. */
export function OptionName({ family }: { readonly family: Pick<FamilySummary, "displayName" | "server" | "name"> }) {
  const { displayName, server, name } = family;
  return (
    <span class="option-names">
      <span>{displayName}</span>
      {server !== undefined && <span class="option-chip">{server}</span>}
      <span class="option-name muted">{name}</span>
    </span>
  );
}
