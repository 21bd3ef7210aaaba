export type {
  Derivation,
  DerivedMetric,
  Direction,
  FamilyEntry,
  FamilyGroup,
  GroupRule,
  HintRule,
  KeyMetric,
  KeyStatistic,
  LabelFilter,
  ServerComputed,
  ServerDefinition,
  ServerId,
  StaticRule,
  WatchRule,
} from "./definition.js";
export { GROUPS } from "./definition.js";
export { SERVERS } from "./servers/index.js";
export { recogniseServers, serverById, serverByName, serverOf } from "./recognise.js";
export { isDisaggregated, ROLES, rolesOf, shownRoles, type Role, type RoleSeries } from "./roles.js";
export { exposedName } from "./exposed-name.js";
export { aliasesOf, canonicalName, knownType } from "./aliases.js";
export {
  conceptNamed,
  familiesNamed,
  objectiveApplies,
  parseObjectives,
  shareStatistic,
  type Objective,
} from "./objectives.js";
export { isFound, searchDistance, searchWords, type SearchWord } from "./search.js";
export { groupOf } from "./groups.js";
export { keyMetricById, keyMetricOf, watchLevel, type Watched } from "./key-metrics.js";
export { familiesOf, panelStatistics } from "./define.js";
export { generalPanels, panelsOf } from "./panels/index.js";
export {
  admits,
  byImportance,
  computedNote,
  computedOf,
  familyEntry,
  familyOfResult,
  COUNTED_AVERAGE_NOTE,
  isCountedAverage,
  presentNames,
  repeatsCounter,
  shownFamily,
  shownKeys,
  shownUnit,
  titledName,
  titleWithName,
  type TitledName,
} from "./families.js";
export { hintsFor } from "./hints.js";
export { JOIN, joinedText, joiningOf, type Joining } from "./joining.js";
export { DISCOVERY_PORTS, type DiscoveryPort } from "./discovery.js";
export { vectorLabelOf } from "./vectors.js";
export { factsOf, isStaticFamily, modelOf, staticFactsOf, type CatalogFact } from "./static-facts.js";
export { familyUnit, unitOf } from "./unit.js";
export {
  attainedText,
  displayNameOf,
  displayUnit,
  formatValue,
  scrapeTimeText,
  inSentence,
  objectiveText,
  rateUnit,
  splitValue,
  statisticUnit,
  type DisplayUnit,
  type FormattedValue,
} from "./display.js";
export {
  conceptById,
  conceptOf,
  conceptOfRatio,
  CONCEPTS,
  definitionDifference,
  derivedById,
  familiesOfMember,
  familyOfConcept,
  holdsConcepts,
  incompatibility,
  matchMembers,
  MEAN_GAP,
  membersOf,
  seriesOfConcept,
  type Concept,
  type ConceptId,
  type ConceptMember,
  type ConceptSource,
  type ConceptUse,
} from "./concepts/index.js";
export { familiesInSource, unlistedFamilies, type UnlistedFamily } from "./diff.js";
export * from "./lengths.js";
