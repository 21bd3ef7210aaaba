import type { FamilySummary } from "../../src/protocol/index.js";
import type { Layout, LayoutAction } from "../state/layout.js";
import type { SearchHit } from "./find.js";

/**
 * What picking a hit does to the view: a family is charted, or shown in the table in front; a label filters a table.
 */
export function go(
  hit: SearchHit,
  layout: Layout,
  familyOf: (name: string) => FamilySummary | undefined,
): readonly LayoutAction[] {
  if (hit.kind !== "label") {
    const { name, isInfo } = hit.family;
    // What never changes is no chart.
    if (isInfo || layout.tab === "statistics" || layout.tab === "timeslices") {
      const table = layout.tab === "timeslices" && !isInfo ? "timeslices" : "statistics";
      return [
        { kind: "table", table, change: { subject: { family: name }, label: undefined } },
        { kind: "set", change: { filter: "", tab: table } },
      ];
    }
    return [{ kind: "show", family: name }];
  }
  const label = hit.value === undefined ? undefined : { name: hit.name, value: hit.value };
  const filter = hit.value === undefined ? `${hit.name}=` : "";
  const { subject } = layout.tables.timeslices;
  if (
    layout.tab === "timeslices" &&
    subject !== undefined &&
    "family" in subject &&
    hit.families.includes(subject.family)
  )
    return [
      { kind: "table", table: "timeslices", change: { label } },
      { kind: "set", change: { filter } },
    ];
  return [
    { kind: "table", table: "statistics", change: { subject: subjectOf(hit, layout, familyOf), label } },
    { kind: "set", change: { filter, tab: "statistics" } },
  ];
}

/** The table's subject where it has the label; else the one family that has it, or the type of most of them. */
function subjectOf(
  { families }: Extract<SearchHit, { kind: "label" }>,
  layout: Layout,
  familyOf: (name: string) => FamilySummary | undefined,
): Layout["tables"]["statistics"]["subject"] {
  const { subject } = layout.tables.statistics;
  const has = (name: string) =>
    subject !== undefined && ("family" in subject ? subject.family === name : familyOf(name)?.type === subject.type);
  if (subject !== undefined && families.some(has)) return subject;
  const [only] = families;
  if (families.length === 1 && only !== undefined) return { family: only };
  const counts = new Map<FamilySummary["type"], number>();
  for (const name of families) {
    const type = familyOf(name)?.type;
    if (type !== undefined) counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  return most === undefined ? undefined : { type: most[0] };
}
