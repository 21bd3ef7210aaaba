import { t } from "@vscode/l10n";
import { selectorOfInstance } from "../../core/model/index.js";
import type { FoundInStore, StoreQuery } from "../../protocol/index.js";
import type { PickRow } from "../workbench-text.js";
import { plural } from "../../core/text/plural.js";

/** What is to be read of a store. */
export interface Chosen {
  readonly query: StoreQuery;
  readonly aggregate?: boolean;
  readonly stepMs?: number;
  readonly label?: string;
}

interface FoundRow extends PickRow {
  /** Absent of rows that only tell what there is. */
  readonly chosen?: Chosen;
}

const COARSE_STEP_MS = 60_000;
/** From so many on, a fleet is looked at in totals first: to pull it whole takes a minute and more. */
const MANY_INSTANCES = 20;

/**
 * What was found, and what can be read of it: all, totals over its instances, or one of them.
 * @returns the rows, and what Enter reads where a row only tells what there is
 */
export function foundRows(
  query: StoreQuery,
  { series, samples, instances, families, totalsStepMs }: FoundInStore,
): { readonly rows: readonly FoundRow[]; readonly first: Chosen; readonly placeholder: string } {
  const amount = samples === undefined ? t("too many samples to count at once") : t`about ${samples} samples`;
  const all: Chosen = { query };
  const totals: Chosen = { query, aggregate: true };
  const many = instances.length >= MANY_INSTANCES;
  const whole = {
    icon: "cloud-download",
    label: t("Read this run"),
    description: [
      plural(instances.length, t("instance"), t("instances")),
      plural(families.length, t("family"), t("families")),
      t`${series} series`,
      amount,
    ].join(", "),
    chosen: all,
  };
  const summed = {
    icon: "layers",
    label: t`Read totals over ${instances.length} instances`,
    description: t`summed by the store every ${totalsStepMs / 1000} s; instances can be opened from there`,
    chosen: totals,
  };
  const rows: readonly FoundRow[] = [
    ...(many ? [summed, whole] : instances.length < 2 ? [whole] : [whole, summed]),
    {
      icon: "dashboard",
      label: t("Read values every 60 s"),
      description: t("takes less time than every sample"),
      chosen: { query, stepMs: COARSE_STEP_MS },
    },
    ...instances.map((name) => ({
      icon: "server",
      label: name,
      description: t("instance, to be read alone"),
      chosen: { query: ofInstance(query, name) },
    })),
    ...families.map((name) => ({ icon: "graph", label: name, description: t("family") })),
  ];
  return {
    rows,
    first: many ? totals : all,
    placeholder: many
      ? t`Press Enter to read totals. To read all ${instances.length} instances in full takes long.`
      : t("Press Enter to read the run. The list shows what it will contain."),
  };
}

/** The same of one instance alone. */
export function ofInstance(query: StoreQuery, instance: string): StoreQuery {
  return { ...query, selectors: query.selectors.map((selector) => selectorOfInstance(selector, instance)) };
}
