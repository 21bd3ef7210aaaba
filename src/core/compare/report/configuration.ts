import type { Json, JsonObject } from "../../text/index.js";
import type { MeasuredRun } from "../source.js";
import { profileOf } from "../matching/target-labels.js";
import type { ConfigurationDifference } from "../types.js";

/** What was configured differently, or the servers say differently of themselves; of a set its first run speaks. */
export function configurationDifferences(runs: readonly MeasuredRun[]): ConfigurationDifference[] {
  const configured = differing(runs.map(({ inputConfig }) => flatten(inputConfig))).map((entry) => ({
    source: "input_config" as const,
    ...entry,
  }));
  const reported = differing(
    runs.map(
      ({ facts, models }) =>
        new Map([...facts, ...(models.length === 0 ? [] : [["model", models.join(", ")] as const])]),
    ),
  );
  if (!reported.some(({ values }) => values.includes(null))) return [...configured, ...reported.map(ofServer)];
  const profiles = runs.map(({ series }) => profileOf(series, ({ labels }) => labels));
  // What a store attaches to all series of a target, those of its info families too, the server does not say.
  const isOfTarget = (name: string, values: readonly (string | null)[]) => {
    const own = profiles.map((profile) => profile.get(name.slice(name.lastIndexOf(" ") + 1)));
    return values.every((value, r) => (value === null ? own[r] === undefined : own[r]?.isTarget === true));
  };
  const said = reported.filter(({ name, values }) => !values.includes(null) || !isOfTarget(name, values));
  return [...configured, ...said.map(ofServer)];
}

function ofServer(entry: Omit<ConfigurationDifference, "source">): ConfigurationDifference {
  return { source: "server", ...entry };
}

function differing(
  sides: readonly ReadonlyMap<string, string>[],
): { readonly name: string; readonly values: readonly (string | null)[] }[] {
  const names = [...new Set(sides.flatMap((side) => [...side.keys()]))];
  return names
    .map((name) => ({ name, values: sides.map((side) => side.get(name) ?? null) }))
    .filter(({ values }) => values.some((value) => value !== values[0]));
}

/** Leaves by their path: `endpoint.urls[0]`. */
function flatten(config: JsonObject): ReadonlyMap<string, string> {
  const leaves = new Map<string, string>();
  const visit = (value: Json | undefined, path: string): void => {
    if (value === undefined) return;
    if (value === null || typeof value !== "object") {
      leaves.set(path, String(value));
    } else if (isArray(value)) {
      value.forEach((item, i) => visit(item, `${path}[${i}]`));
    } else {
      for (const [key, item] of Object.entries(value)) visit(item, path === "" ? key : `${path}.${key}`);
    }
  };
  visit(config, "");
  return leaves;
}

function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
