import { isFields, isList, UserError } from "../../core/text/index.js";
import { knownType } from "../../core/catalog/index.js";
import {
  type ParserNotes,
  placeSample,
  SampleRoles,
  TYPE_WORDS,
  type DeclaredType,
  type Statement,
} from "../../core/exposition/index.js";
import type { PrometheusApi } from "./api.js";

/** What a store says of a family; by the name that the server exposed. */
export type Metadata = ReadonlyMap<
  string,
  { readonly type?: DeclaredType; readonly help: string; readonly unit: string }
>;

/** Types, help and units; empty where the store keeps none. @throws UserError when it cannot be reached */
export async function readMetadata(api: PrometheusApi, signal?: AbortSignal): Promise<Metadata> {
  const data = await api.ask("/metadata", [], { signal }).catch((error: unknown) => {
    // Older versions of Thanos and VictoriaMetrics do not know the question.
    if (error instanceof UserError && error.code !== "nothing-reachable") return {};
    throw error;
  });
  const found = new Map<string, { type?: DeclaredType; help: string; unit: string }>();
  for (const [name, entries] of Object.entries(isFields(data) ? data : {})) {
    // Several, where targets disagree: the first one that says something counts.
    for (const entry of isList(entries) ? entries : []) {
      if (!isFields(entry)) continue;
      const { type, help, unit } = entry;
      const declared = typeof type === "string" ? TYPE_WORDS.get(type) : undefined;
      found.set(name, {
        ...(declared === undefined ? {} : { type: declared }),
        help: typeof help === "string" ? help : "",
        unit: typeof unit === "string" ? unit : "",
      });
      if (declared !== undefined && declared !== "unknown") break;
    }
  }
  return found;
}

/**
 * What the samples of each metric name are, by the store's metadata, else by the catalogue and by how names are made.
 * @param names with whether any series of that name has an `le` label
 */
export function rolesOf(names: ReadonlyMap<string, boolean>, metadata: Metadata, notes: ParserNotes): SampleRoles {
  const roles = new SampleRoles(() => true, notes);
  const { declarations } = roles;
  const types = new Map<string, DeclaredType>();
  for (const [name, { type }] of metadata) if (type !== undefined) types.set(name, type);
  const undeclared = (name: string) =>
    !types.has(name) && placeSample(name, (family) => types.get(family)).family === name;
  for (const [name, hasBound] of names)
    if (hasBound && name.endsWith("_bucket") && undeclared(name))
      types.set(name.slice(0, -"_bucket".length), "histogram");
  for (const name of names.keys()) {
    if (!undeclared(name)) continue;
    const type = knownType(name) ?? (name.endsWith("_total") ? "counter" : undefined);
    if (type !== undefined && type !== "histogram") types.set(name, type);
  }
  const statements: Statement[] = [...types].map(([name, value]) => ({
    kind: "type",
    of: declarations.of(name),
    value,
  }));
  for (const [name, { help, unit }] of metadata) {
    if (help !== "") statements.push({ kind: "help", of: declarations.of(name), value: help });
    if (unit !== "") statements.push({ kind: "unit", of: declarations.of(name), value: unit });
  }
  declarations.replace(statements);
  return roles;
}
