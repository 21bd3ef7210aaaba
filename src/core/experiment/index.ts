export { ALPHA, decide, type Decision, type End, type InterimResult, type MetricState, type State } from "./decide.js";
export {
  experimentJsonSchema,
  guardsOf,
  judgedName,
  type ServerConfiguration,
  type ExperimentDefinition,
  type JudgedMetric,
  type LoadDefinition,
} from "./definition.js";
export { exampleFor, exampleOfRuns, exampleText, type ExampleParts } from "./example.js";
export { betterWhen, measureRun, valueText, type MetricValue, type MetricValues } from "./measure.js";
export { DefinitionError, parseDefinition } from "./parse.js";
export { answersOf, countLines, experimentDocument, nextText, planLines, ROW_TITLES, rowCells } from "./report.js";
export { folderOf, orderOf, repeatsOf, stepsOf, type RunRecord, type PlannedRun } from "./plan.js";
export { experimentStatus, type Cell, type ExperimentStatus, type SequencePlot, type ShownRun } from "./status.js";
export { mostLevels, type Bracket } from "./search.js";
export {
  detectable,
  deviationOf,
  equivalenceLevel,
  eValue,
  rejections,
  sampleOf,
  sequenceInterval,
  type Interval,
  type Sample,
} from "./sequence.js";
export { problemsOf, type FinishedRun } from "./validity.js";
