import { configurationLeaves, configuredOf, provenanceLeaves, provenanceOf } from "../../model/index.js";
import type { Fields } from "../../text/index.js";
import type { MeasuredRun } from "../source.js";
import { profileOf } from "../matching/target-labels.js";
import type { ConfigurationDifference } from "../types.js";

/** What was configured differently, or the servers say differently of themselves; of a set its first run speaks. */
export function configurationDifferences(runs: readonly MeasuredRun[]): ConfigurationDifference[] {
  const configured = differing(runs.map(({ inputConfig }) => configurationLeaves(configuredOf(inputConfig)))).map(
    (entry) => ({ source: "input_config" as const, ...entry }),
  );
  const came = originDifferences(runs.map(({ inputConfig }) => provenanceOf(inputConfig)));
  const reported = differing(
    runs.map(
      ({ facts, models }) =>
        new Map([...facts, ...(models.length === 0 ? [] : [["model", models.join(", ")] as const])]),
    ),
  );
  if (!reported.some(({ values }) => values.includes(null))) return [...configured, ...reported.map(ofServer), ...came];
  const profiles = runs.map(({ series }) => profileOf(series, ({ labels }) => labels));
  // What a store attaches to all series of a target, those of its info families too, the server does not say.
  const isOfTarget = (name: string, values: readonly (string | null)[]) => {
    const own = profiles.map((profile) => profile.get(name.slice(name.lastIndexOf(" ") + 1)));
    return values.every((value, r) => (value === null ? own[r] === undefined : own[r]?.isTarget === true));
  };
  const said = reported.filter(({ name, values }) => !values.includes(null) || !isOfTarget(name, values));
  return [...configured, ...said.map(ofServer), ...came];
}

/** Where runs came from, where all of them say it. */
function originDifferences(all: readonly (Fields | undefined)[]): ConfigurationDifference[] {
  const told = all.filter((one) => one !== undefined);
  if (told.length < all.length) return [];
  return differing(told.map(provenanceLeaves))
    .filter(({ name, values }) => !(name.includes(SETTINGS) && values.includes(null)))
    .map((entry) => ({ source: "provenance" as const, ...entry }));
}

/** Of what servers report, only what all of them do is compared: each engine has settings of its own. */
const SETTINGS = "].settings.";

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
