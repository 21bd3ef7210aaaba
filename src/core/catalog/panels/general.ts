import type { Family } from "../../model/index.js";
import { displayNameOf } from "../display.js";
import type { Direction, KeyMetric } from "../definition.js";
import { entryOfCanonical } from "../recognise.js";
import { canonicalName } from "../aliases.js";

interface GeneralRule {
  readonly id: string;
  readonly title: string;
  readonly types: readonly Family["type"][];
  readonly pattern: RegExp;
  readonly direction: Direction;
}

/** What any service has, recognised by types and names. A family belongs to the first rule that it fits. */
const RULES: readonly GeneralRule[] = [
  {
    id: "errors",
    title: "Errors",
    types: ["counter"],
    pattern: /error|fail|drop|reject|timeout|timed_out|abort|exception|retr(y|ies)|denied|lost/i,
    direction: "down",
  },
  { id: "rates", title: "Rates", types: ["counter"], pattern: /./, direction: "neutral" },
  {
    id: "durations",
    title: "Durations",
    types: ["histogram"],
    pattern: /duration|latency|time|delay|wait|seconds|_ms$|_us$/i,
    direction: "down",
  },
  { id: "sizes", title: "Sizes", types: ["histogram"], pattern: /./, direction: "neutral" },
  {
    id: "saturation",
    title: "Saturation",
    types: ["gauge", "unknown"],
    pattern:
      /queue|pending|waiting|backlog|in_?flight|active|busy|running|usage|utili[sz]ation|percent|ratio|saturation|pool|connections|in_use|open_|load|lag|memory|depth/i,
    direction: "neutral",
  },
];

/** Rows of a panel at the most. */
const MAX_ROWS = 8;
/** Of the language's runtime: they come last, and only where they tell of saturation. */
const RUNTIME = /^(python_|go_|nodejs_|promhttp_|scrape_|prometheus_)|_created$/;

/** The dashboard of a server that the catalogue does not know: rates, errors, durations, saturation. */
export function generalPanels(
  families: readonly Family[],
): readonly { readonly id: string; readonly title: string; readonly metrics: readonly KeyMetric[] }[] {
  const own = families.filter(({ name }) => !RUNTIME.test(name) && !name.endsWith("_info"));
  const ruleOf = ({ name, type }: Family) =>
    RULES.find(({ types, pattern }) => types.includes(type) && pattern.test(name));
  return RULES.flatMap(({ id, title, direction }) => {
    const metrics = own
      .filter((family) => ruleOf(family)?.id === id)
      // The server's own before those of its process.
      .sort((a, b) => Number(/^process_/.test(a.name)) - Number(/^process_/.test(b.name)))
      .slice(0, MAX_ROWS)
      .map(({ name, type }): KeyMetric => ({
        id: `general.${name}`,
        title: entryOfCanonical(canonicalName(name))?.title ?? displayNameOf(name),
        family: name,
        type,
        statistic: type === "counter" ? "rate" : type === "histogram" ? "p99_estimate" : "avg",
        direction,
      }));
    return metrics.length === 0 ? [] : [{ id, title, metrics }];
  });
}
