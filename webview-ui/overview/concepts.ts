import { t } from "@vscode/l10n";
import type { ConceptId } from "../../src/core/catalog/index.js";
import { joinedText, joiningOf } from "../../src/core/catalog/joining.js";
import { joinLines } from "../../src/core/query/lines.js";
import type { ChartData, ChartLine, ChartQuery, FamilySummary } from "../../src/protocol/index.js";
import { overlaid } from "../charts/lines.js";
import { manyQuery, wholeRunQuery } from "../state/chart-query.js";

/** A card of the overview: a drawing for each quantity. */
export interface OverviewCard {
  readonly title: string;
  readonly drawings: readonly Drawing[];
}

export interface Drawing {
  /** Of a card with several. */
  readonly title?: string;
  /** One of each kind of server that has the quantity. */
  readonly families: readonly FamilySummary[];
}

/** What is looked at first of any server; of several concepts, the first that the run has. */
const CARDS: readonly {
  readonly title: string;
  readonly drawings: readonly { readonly title?: string; readonly concepts: readonly ConceptId[] }[];
}[] = [
  { title: t("Time to first token"), drawings: [{ concepts: ["ttft"] }] },
  { title: t("Time between tokens"), drawings: [{ concepts: ["inter-token-latency"] }] },
  { title: t("Throughput"), drawings: [{ concepts: ["generation-tokens", "finished"] }] },
  {
    title: t("Queue and KV cache"),
    drawings: [
      { title: t("Requests waiting"), concepts: ["waiting", "running"] },
      { title: t("KV cache usage"), concepts: ["kv-usage"] },
    ],
  },
];

/** The cards that a run has families for; of a run without any, the first of the families that it charts. */
export function overviewCards(
  families: readonly FamilySummary[],
  charted: readonly FamilySummary[],
): readonly OverviewCard[] {
  const ofConcept = (id: ConceptId) => families.filter(({ concept, seriesCount }) => concept === id && seriesCount > 0);
  const cards = CARDS.flatMap(({ title, drawings }) => {
    const known = drawings.flatMap(({ concepts, ...drawing }) => {
      const found = concepts.map(ofConcept).find(({ length }) => length > 0);
      return found === undefined ? [] : [{ ...drawing, families: found }];
    });
    return known.length === 0 ? [] : [{ title, drawings: known }];
  });
  if (cards.length > 0) return cards;
  return charted
    .slice(0, CARDS.length)
    .map((family) => ({ title: family.displayName, drawings: [{ families: [family] }] }));
}

/** Those of all cards. */
export function overviewFamilies(
  families: readonly FamilySummary[],
  charted: readonly FamilySummary[] = [],
): readonly FamilySummary[] {
  return overviewCards(families, charted).flatMap(({ drawings }) => drawings.flatMap((drawing) => drawing.families));
}

/** More series of one family are drawn as one line. */
const FEW_SERIES = 6;

/** What a drawing asks of a family. */
export function overviewQuery(family: FamilySummary): ChartQuery {
  const query = wholeRunQuery({ family: family.name }, family);
  return family.type === "histogram" || family.seriesCount > FEW_SERIES ? manyQuery(query, family.type) : query;
}

export interface OverviewAnswer {
  readonly family: FamilySummary;
  readonly data: ChartData;
}

/** Quantiles that tell a latency at a glance. */
const LEFT_OUT: ReadonlySet<ChartLine["quantity"]> = new Set(["p90", "avg"]);

/** A chart of several families, and what each of them is called in it; "" of one that needs no name. */
export interface Overlay {
  readonly data: ChartData;
  readonly titleOf: (family: string) => string;
}

/** The lines of several families in one chart, in the unit of the first. */
export function overlayOf(answers: readonly OverviewAnswer[]): Overlay | undefined {
  const [first] = answers;
  if (first === undefined) return undefined;
  const alike = answers.filter(({ data }) => data.unit === first.data.unit && data.empty === undefined);
  const titles = new Map<string, string>();
  const charts = alike.map(({ family, data }): ChartData => {
    const server = alike.length > 1 ? (family.server ?? family.displayName) : "";
    const lines = data.lines.filter(({ quantity }) => !LEFT_OUT.has(quantity));
    const [line] = lines;
    const few = family.type === "histogram" || lines.length <= FEW_SERIES;
    const how = joiningOf(family.type, family.unit).compared;
    const title = [server, few ? "" : joinedText(how, lines.length)].filter((part) => part !== "").join(", ");
    titles.set(data.family, title);
    if (few || line === undefined) return { ...data, lines };
    // The average of one of them is not that of all.
    const { average: _average, ...alone } = line;
    return { ...data, lines: [{ ...alone, endpointUrl: "", labels: [], ...joinLines(lines, how) }] };
  });
  const [chart = first.data, ...others] = charts;
  const named = [...titles.values()].some((title) => title !== "");
  return { data: named ? overlaid([chart, ...others]) : chart, titleOf: (family) => titles.get(family) ?? "" };
}
