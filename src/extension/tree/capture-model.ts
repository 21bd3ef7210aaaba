import { t } from "@vscode/l10n";
import { formatValue, scrapeTimeText } from "../../core/catalog/display.js";
import { formatLabels, type ScrapeCost } from "../../core/model/index.js";
import type { EndpointStatus, FamilySummary, RunHeader, SeriesSummary } from "../../protocol/index.js";
import { endpointState } from "../status-text.js";
import { problemWords } from "../words.js";
import { plural } from "../../core/text/plural.js";

/** A row of the Capture tree, found again by its id from one report to the next. */
export type CaptureNode =
  | { readonly kind: "endpoint"; readonly id: string; readonly url: string }
  | { readonly kind: "group"; readonly id: string; readonly url: string; readonly group: string }
  | { readonly kind: "family"; readonly id: string; readonly url: string; readonly family: string }
  | {
      readonly kind: "series";
      readonly id: string;
      readonly url: string;
      readonly family: string;
      readonly series: SeriesSummary["id"];
    };

/** What is known of the run when the tree is drawn. Families whose series are not yet known count as present. */
export interface CaptureModel {
  readonly header: RunHeader | undefined;
  readonly families: readonly FamilySummary[];
  readonly series: ReadonlyMap<string, readonly SeriesSummary[]>;
}

export interface CaptureRow {
  readonly label: string;
  /** In full, for screen readers, where the label is shortened. */
  readonly name?: string;
  readonly description: string;
  readonly tooltip: string;
  readonly icon: string;
  /** Theme colour of the icon, for what needs attention. */
  readonly color?: string;
  readonly expandable: boolean;
  /** It begins folded. */
  readonly folded?: boolean;
  /** Decides the context menu. */
  readonly context: string;
}

/** With more, endpoints begin folded: the tree is a list of them. */
const MANY_ENDPOINTS = 4;

const TYPE_ICONS = { gauge: "dashboard", counter: "arrow-up", histogram: "graph", unknown: "symbol-number" } as const;

const join = (...parts: string[]) => parts.map(encodeURIComponent).join("/");

/** Rows under `parent`; of the whole tree when absent. */
export function childrenOf(model: CaptureModel, parent: CaptureNode | undefined): readonly CaptureNode[] {
  if (parent === undefined)
    return (model.header?.endpoints ?? []).map(({ url }) => ({ kind: "endpoint", id: join(url), url }));
  const { url } = parent;
  switch (parent.kind) {
    case "endpoint": {
      const groups = new Set(familiesAt(model, url).map(groupOf));
      return [...groups].map((group) => ({ kind: "group", id: join(url, group), url, group }));
    }
    case "group":
      return familiesAt(model, url)
        .filter((family) => groupOf(family) === parent.group)
        .map(({ name }) => ({ kind: "family", id: join(url, parent.group, name), url, family: name }));
    case "family":
      return seriesAt(model, parent.family, url).map(({ id }) => ({
        kind: "series",
        id: join(parent.id, String(id)),
        url,
        family: parent.family,
        series: id,
      }));
    case "series":
      return [];
  }
}

/** Undefined when what the node stood for is no more. */
export function rowOf(model: CaptureModel, node: CaptureNode): CaptureRow | undefined {
  switch (node.kind) {
    case "endpoint": {
      const { header } = model;
      const endpoint = header?.endpoints.find(({ url }) => url === node.url);
      return header === undefined || endpoint === undefined
        ? undefined
        : endpointRow(endpoint, header.state === "capturing", header.endpoints.length > MANY_ENDPOINTS);
    }
    case "group": {
      const count = familiesAt(model, node.url).filter((family) => groupOf(family) === node.group).length;
      return {
        label: node.group,
        description: plural(count, t("family"), t("families")),
        tooltip: node.group,
        icon: "symbol-folder",
        expandable: true,
        context: "group",
      };
    }
    case "family": {
      const family = model.families.find(({ name }) => name === node.family);
      return family === undefined ? undefined : familyRow(family, seriesAt(model, node.family, node.url));
    }
    case "series": {
      const family = model.families.find(({ name }) => name === node.family);
      const series = model.series.get(node.family)?.find(({ id }) => id === node.series);
      if (family === undefined || series === undefined) return undefined;
      const label = formatLabels(series.labels);
      return {
        label: label === "" ? t("(no labels)") : label,
        description: lastValue(family, series),
        tooltip: `${family.name}${label}`,
        icon: "symbol-constant",
        expandable: false,
        context: "series",
      };
    }
  }
}

/** What a row's value is, as text to copy; undefined when the row has none or several. */
export function valueOf(model: CaptureModel, node: CaptureNode): string | undefined {
  if (node.kind !== "family" && node.kind !== "series") return undefined;
  const all = seriesAt(model, node.family, node.url);
  const series =
    node.kind === "series" ? all.find(({ id }) => id === node.series) : all.length === 1 ? all[0] : undefined;
  return series === undefined || Number.isNaN(series.last) ? undefined : String(series.last);
}

/** The way Prometheus writes the row's name. */
export function nameOf(model: CaptureModel, node: CaptureNode): string {
  switch (node.kind) {
    case "endpoint":
      return node.url;
    case "group":
      return node.group;
    case "family":
      return node.family;
    case "series": {
      const series = model.series.get(node.family)?.find(({ id }) => id === node.series);
      return node.family + (series === undefined ? "" : formatLabels(series.labels));
    }
  }
}

/** The catalogue's group, beneath the server's name where the server is known. */
function groupOf(family: FamilySummary): string {
  return family.server === undefined ? family.group : `${family.server}: ${family.group}`;
}

/** The group's row names the server already, and the value needs the room. */
function shortName({ name, server }: FamilySummary): string {
  return server === undefined ? name : name.replace(/^[a-z]+:/, "");
}

function familiesAt(model: CaptureModel, url: string): readonly FamilySummary[] {
  return model.families.filter(
    ({ name }) => model.series.get(name)?.some(({ endpointUrl }) => endpointUrl === url) ?? true,
  );
}

function seriesAt(model: CaptureModel, family: string, url: string): readonly SeriesSummary[] {
  return (model.series.get(family) ?? []).filter(({ endpointUrl }) => endpointUrl === url);
}

function endpointRow(endpoint: EndpointStatus, capturing: boolean, many: boolean): CaptureRow {
  const { icon, words } = endpointState(endpoint.state, !capturing);
  const latency =
    endpoint.latencyMs === undefined
      ? []
      : [t`${endpoint.latencyMs < 10 ? endpoint.latencyMs.toFixed(1) : Math.round(endpoint.latencyMs)} ms`];
  const problems = endpoint.problems.map(problemWords);
  const attention = capturing && (endpoint.state === "failing" || endpoint.state === "disabled");
  return {
    label: endpoint.label ?? endpoint.displayName,
    description: [words, ...(endpoint.role === undefined ? [] : [endpoint.role]), ...endpoint.servers, ...latency].join(
      " · ",
    ),
    tooltip: [
      endpoint.url,
      [
        plural(endpoint.scrapes, t("scrape"), t("scrapes")),
        plural(endpoint.failures, t("failure"), t("failures")),
        plural(endpoint.missedTicks, t("missed tick"), t("missed ticks")),
      ].join(", "),
      ...(endpoint.cost === undefined ? [] : [costText(endpoint.cost)]),
      ...problems,
    ].join("\n"),
    icon: capturing ? icon : "server",
    ...(attention ? { color: "list.warningForeground" } : {}),
    expandable: endpoint.families > 0,
    folded: many,
    context: capturing ? "endpoint.capturing" : "endpoint",
  };
}

function costText({ meanMs, bytes, share }: ScrapeCost): string {
  const [time, size, part] = [scrapeTimeText(meanMs), formatValue(bytes, "bytes"), formatValue(share, "ratio")];
  return t`A scrape takes ${time} and ${size}: ${part} of the interval.`;
}

function familyRow(family: FamilySummary, series: readonly SeriesSummary[]): CaptureRow {
  const [first] = series;
  const value = first === undefined ? "" : series.length === 1 ? lastValue(family, first) : t`${series.length} series`;
  const kind = [family.type, ...(family.unit === undefined ? [] : [family.unit])].join(" · ");
  const name = family.title === undefined ? "" : shortName(family);
  const description = [value, name, kind].filter((part) => part !== "").join(" · ");
  return {
    label: family.title ?? shortName(family),
    // Where there is a title, the description has the name.
    ...(family.title === undefined ? { name: family.name } : {}),
    description,
    tooltip: [family.title, family.name, description, family.hint, family.computed, family.description]
      .filter((part) => part !== undefined && part !== "")
      .join("\n"),
    icon: TYPE_ICONS[family.type],
    expandable: true,
    context: "family",
  };
}

function lastValue(family: FamilySummary, series: SeriesSummary): string {
  // A histogram's last value is how many observations it has, whatever the unit of what was observed.
  return family.type === "histogram"
    ? t`${formatValue(series.last, undefined)} observations`
    : formatValue(series.last, family.unit);
}
