import { UserError } from "../../core/text/errors.js";
import { readEarlierCsv, readEarlierJson } from "../../core/artifacts/index.js";
import type { ClientResult } from "../../core/client/index.js";
import {
  loadWindowText,
  measuredLoad,
  type FileFormat,
  type Problem,
  type RunStatistics,
  type WindowRule,
  noteOf,
  warningOf,
} from "../../core/model/index.js";
import { measureLoad } from "../../core/window/index.js";
import { withinMemory } from "../memory.js";
import { replayScrapeLog } from "../replay.js";
import { addClientToRun, addClientToStatistics, openClient, type WithClient } from "./add-client.js";
import { detectFileFormat, type Detected } from "./detect.js";
import { GrowingJsonl } from "./jsonl.js";
import { ParquetArtifact } from "../parquet/artifact.js";
import { ParquetFamilies } from "../parquet/families.js";
import { addGpuTelemetry, mlflowBeside } from "./aiperf.js";
import { FORMAT_LIMITS } from "./notices.js";
import { openMetricDump, openSnapshot } from "./snapshot.js";
import { Neighbours } from "./neighbours.js";
import {
  addPhases,
  artifactOf,
  holdsOnePhase,
  phasesBeside,
  readPhaseFile,
  storedPhases,
  withWindow,
  type FoundPhases,
} from "./phases.js";
import { siblingsOf } from "./siblings.js";
import { readCsvFile, readEarlierFile, readJsonFile, type ReadFile } from "./statistics.js";
import type { GrowingRun, OpenedArtifact, OpenedSamples, OpenedStatistics, OpenOptions } from "./types.js";

export { addClientToRun } from "./add-client.js";
export { convertArtifact, convertibleTo, lossesOf } from "./convert.js";
export { detectFileFormat, type Detected } from "./detect.js";
export { ParquetArtifact } from "../parquet/artifact.js";
export type { ParquetFamily } from "../parquet/family-index.js";
export { selectPhase } from "./phases.js";
export { distinctRuns } from "./siblings.js";
export { ParquetFamilies } from "../parquet/families.js";
export type * from "./types.js";

/**
 * Opens any artifact, by its content: JSON, CSV, JSONL, Parquet, a journal, a scrape log, an exposition, and earlier
 * layouts. A phase manifest opens the run beside it. Nothing is ever written. A Parquet file is read whole.
 * @throws UserError saying what was expected and where; the signal's reason
 */
export function openArtifact(given: string, options: OpenOptions = {}): Promise<OpenedArtifact> {
  return openBy(given, options, (path, { format }, within) => openers[format](path, within));
}

function openBy<T extends Content | FamiliesContent>(
  given: string,
  options: OpenOptions,
  open: (path: string, detected: Detected, options: OpenOptions) => Promise<T>,
) {
  return withinMemory(given, options, async (within) => {
    const path = await artifactOf(given, within);
    const detected = await detectFileFormat(path, within);
    within.signal?.throwIfAborted();
    return completed(path, detected, open(path, detected, within), within);
  });
}

/**
 * As `openArtifact`, of a Parquet file whose footer has been read already; it stays open.
 * @throws UserError; the signal's reason
 */
export function openAllOf(artifact: ParquetArtifact, options: OpenOptions = {}): Promise<OpenedArtifact> {
  const { path, bytes } = artifact;
  return withinMemory(path, options, (within) =>
    completed(path, { format: "parquet", bytes }, allOf(artifact, within), within),
  );
}

/** A large Parquet file, of which samples are read when they are asked for. */
export interface OpenedFamilies extends Omit<OpenedSamples, "kind" | "run"> {
  readonly kind: "families";
  readonly families: ParquetFamilies;
}

/**
 * As `openArtifact`, but of a large Parquet file reads no more than what families it has.
 * @param onDetected called first, with the file's format and size
 * @throws UserError saying what was expected and where; the signal's reason
 */
export function openForViewing(
  given: string,
  options: OpenOptions = {},
  onDetected?: (detected: Detected) => void,
): Promise<OpenedArtifact | OpenedFamilies> {
  return openBy<Content | FamiliesContent>(given, options, (path, detected, within) => {
    onDetected?.(detected);
    return detected.format === "parquet" ? openParquet(path, within) : openers[detected.format](path, within);
  });
}

async function completed<T extends Content | FamiliesContent>(
  path: string,
  { format, bytes }: Detected,
  opening: Promise<T>,
  options: OpenOptions,
) {
  const opened = await opening.catch((error: unknown) => {
    throw asFileError(path, error);
  });
  const neighbours = await Neighbours.of(path, options);
  const found = await phasesBeside(path, opened.benchmarkId, neighbours);
  // Without a scrape there is no time for them to lie in.
  if (opened.kind === "samples" && opened.run.store.endpoints.length > 0) addPhases(opened.run, found);
  if (opened.kind === "families") addPhases(opened.families.frame, found);
  const gpus = opened.kind === "samples" ? await addGpuTelemetry(path, opened.run, neighbours) : [];
  const client = await withClient(path, format, opened, options, neighbours);
  const measured = measuredAs(
    opened,
    options.window ?? (format === "scrape-log" ? "load" : undefined),
    client?.clients,
  );
  const { siblings, notices: others } = await siblingsOf(path, opened.benchmarkId, neighbours);
  const lacks = FORMAT_LIMITS[format];
  return {
    ...opened,
    ...client,
    ...(opened.kind === "statistics" ? phasesOf(opened, client?.statistics ?? opened.statistics, found) : {}),
    path,
    format,
    bytes,
    notices: worstFirst([
      ...(client?.notices ?? []),
      ...opened.notices,
      ...found.notices,
      ...gpus,
      ...(await mlflowBeside(neighbours)),
      ...measured,
      ...others,
      ...neighbours.notices(),
    ]),
    siblings,
    ...(lacks === undefined ? {} : { lacks }),
  };
}

/** Has the rule apply that was asked for. @returns what to say of it */
function measuredAs(
  opened: Content | FamiliesContent,
  rule: WindowRule | undefined,
  clients: readonly ClientResult[] | undefined,
): readonly Problem[] {
  // Statistics are of one window, and so are the rows of a Parquet file that was written of a load.
  const fixed = opened.kind !== "samples" || (opened.run.fileStatistics !== undefined && opened.run.load !== undefined);
  if (opened.kind === "samples" && !fixed && rule !== undefined) {
    const { run } = opened;
    if (rule === "load" && run.load === undefined) measureLoad(run, clients === undefined ? {} : { clients });
    run.applyWindowRule(rule);
  }
  const load =
    opened.kind === "samples"
      ? opened.run.windowRule === "load"
        ? opened.run.load
        : undefined
      : opened.kind === "statistics"
        ? measuredLoad(opened.statistics)
        : undefined;
  const said: Problem[] = load === undefined ? [] : [noteOf(`${loadWindowText(load)}.`)];
  if (rule === undefined || !fixed) return said;
  return (rule === "load") === (load !== undefined) ? said : [...said, NOT_SWITCHED];
}

const NOT_SWITCHED: Problem = warningOf(
  "The window cannot be switched: this file holds one window alone.",
  "Open the run's JSONL, which holds all that was captured.",
);

/** What the client measured beside a server's artifact. */
async function withClient(
  path: string,
  format: FileFormat,
  opened: Content | FamiliesContent,
  options: OpenOptions,
  neighbours: Neighbours,
): Promise<(WithClient & { readonly statistics?: RunStatistics }) | undefined> {
  if (format === "client" || format === "snapshot") return undefined;
  if (opened.kind === "samples") return addClientToRun(path, opened.run, options, neighbours);
  if (opened.kind === "families")
    return addClientToRun(path, opened.families.frame, options, neighbours, opened.families.end);
  if (opened.kind !== "statistics") return undefined;
  // This one file holds both.
  const holdsClient = format === "earlier-json" && (options.client ?? []).length === 0;
  const reading = holdsClient ? { ...options, client: [path] } : options;
  return addClientToStatistics(path, opened.statistics, reading, neighbours);
}

/** Statistics of the only phase there is have those of the client, too. */
function phasesOf(
  { phases }: Pick<OpenedStatistics, "phases">,
  given: RunStatistics,
  found: FoundPhases,
): Pick<OpenedStatistics, "statistics" | "phases"> {
  const statistics = withWindow(given, found);
  return { statistics, phases: phases.length > 0 ? phases : storedPhases(statistics, found) };
}

/** Warnings and errors before notes, otherwise in their order. */
export function worstFirst(notices: readonly Problem[]): readonly Problem[] {
  return [...notices].sort((a, b) => Number(a.severity === "info") - Number(b.severity === "info"));
}

/**
 * Opens a file that others may be appending to, a JSONL or a journal, to go on reading it as it grows.
 * @throws UserError, also when it is of another format or contains no scrape yet; the signal's reason
 */
export async function openGrowing(path: string, options: OpenOptions = {}): Promise<GrowingRun> {
  const { format } = await detectFileFormat(path, options);
  options.signal?.throwIfAborted();
  if (format !== "jsonl" && format !== "journal")
    throw new UserError(`${path} cannot be followed: only JSONL and journals are appended to.`);
  return withinMemory(path, options, (within) => GrowingJsonl.open(path, within)).catch((error: unknown) => {
    throw asFileError(path, error);
  });
}

/** A run may be too long for one axis of time. */
function asFileError(path: string, error: unknown): unknown {
  return error instanceof RangeError ? new UserError(`${path} cannot be shown: ${error.message}.`) : error;
}

type Added = "path" | "format" | "bytes" | "siblings";
type Distributed<T> = T extends OpenedArtifact ? Omit<T, Added> : never;
type Content = Distributed<OpenedArtifact>;
type FamiliesContent = Omit<OpenedFamilies, Added>;

async function openParquet(path: string, options: OpenOptions): Promise<Content | FamiliesContent> {
  const artifact = await ParquetArtifact.open(path, options);
  let keepOpen = false;
  try {
    const families = await ParquetFamilies.of(artifact, options.signal);
    keepOpen = families !== undefined;
    return families === undefined
      ? await allOf(artifact, options)
      : { kind: "families", families, ...artifactFacts(artifact) };
  } finally {
    if (!keepOpen) await artifact.close();
  }
}

async function allOf(artifact: ParquetArtifact, options: OpenOptions): Promise<Content> {
  return { kind: "samples", run: await artifact.loadAll(options), ...artifactFacts(artifact) };
}

function artifactFacts({ about: { benchmarkId, schemaVersion, exporter }, notices }: ParquetArtifact) {
  return {
    notices,
    ...(benchmarkId === undefined ? {} : { benchmarkId }),
    ...(schemaVersion === undefined ? {} : { schemaVersion }),
    ...(exporter === undefined ? {} : { exporter }),
  };
}

const openers: Record<FileFormat, (path: string, options: OpenOptions) => Promise<Content>> = {
  json: async (path, options) =>
    (await holdsOnePhase(path, options)) ? fromPhase(path, options) : fromStatistics(await readJsonFile(path, options)),
  csv: async (path, options) => fromStatistics(await readCsvFile(path, options)),
  jsonl: openJsonl,
  journal: openJsonl,
  parquet: async (path, options) => {
    const artifact = await ParquetArtifact.open(path, options);
    try {
      return await allOf(artifact, options);
    } finally {
      await artifact.close();
    }
  },
  "scrape-log": async (path, options) => {
    const { run, problems } = await replayScrapeLog(path, { ...options, sliceDurationSeconds: 5 });
    return {
      kind: "samples",
      run,
      notices: [...problems, noteOf("A scrape log does not say where a warm-up ends: none is left out.")],
    };
  },
  "metric-dump": openMetricDump,
  client: openClient,
  snapshot: async (path, options) => ({ kind: "snapshot", ...(await openSnapshot(path, options)) }),
  "earlier-json": async (path, options) => fromStatistics(await readEarlierFile(path, readEarlierJson, options)),
  "earlier-csv": async (path, options) => fromStatistics(await readEarlierFile(path, readEarlierCsv, options)),
};

async function openJsonl(path: string, options: OpenOptions): Promise<Content> {
  const growing = await GrowingJsonl.open(path, options);
  const { run, notices, benchmarkId } = growing;
  run.endWithLastScrape();
  return { kind: "samples", run, growing, notices, ...(benchmarkId === undefined ? {} : { benchmarkId }) };
}

async function fromPhase(path: string, options: OpenOptions): Promise<Content> {
  const { phase, statistics, warnings } = await readPhaseFile(path, options);
  if (statistics === undefined) {
    const why = warnings.length === 0 ? "" : ` (${warnings.join("; ")})`;
    throw new UserError(`${path} holds no data of phase ${phase.name}${why}.`);
  }
  const { name, kind, start, end } = phase;
  const { benchmarkId } = statistics;
  return {
    kind: "statistics",
    statistics,
    phases: [{ name, kind, start, end, statistics }],
    notices: warnings.map((reason) => warningOf(reason)),
    ...(benchmarkId === "" ? {} : { benchmarkId }),
  };
}

function fromStatistics({ statistics, ...rest }: ReadFile): Content {
  const { benchmarkId } = statistics;
  return { kind: "statistics", statistics, phases: [], ...rest, ...(benchmarkId === "" ? {} : { benchmarkId }) };
}
