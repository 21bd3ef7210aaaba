export type {
  Direction,
  Group,
  GroupRule,
  HintRule,
  KeyMetric,
  KeyStatistic,
  ServerDefinition,
  ServerId,
  StaticRule,
  WatchRule,
} from "./definition.js";
export { SERVERS } from "./servers/index.js";
export { recogniseServers, serverById, serverOf } from "./recognise.js";
export { aliasesOf, canonicalName, knownType } from "./aliases.js";
export { GROUPS, groupOf } from "./groups.js";
export { keyMetricById, keyMetricOf, shownUnit, watchLevel, type Watched } from "./key-metrics.js";
export { hintsFor } from "./hints.js";
export { DISCOVERY_PORTS, type DiscoveryPort } from "./discovery.js";
export { vectorLabelOf } from "./vectors.js";
export { factsOf, isStaticFamily, modelOf, type CatalogFact } from "./static-facts.js";
export { familyUnit, unitOf } from "./unit.js";
export {
  displayNameOf,
  displayUnit,
  formatValue,
  splitValue,
  type DisplayUnit,
  type FormattedValue,
} from "./display.js";
