import { basename, dirname, isAbsolute, join } from "node:path";
import { UserError } from "../../core/text/errors.js";
import {
  isArtifact,
  isPhaseManifest,
  isPhaseStatistics,
  PHASE_MANIFEST,
  rankOf,
  readPhaseManifest,
  readPhaseStatistics,
  RICHEST_FIRST,
  type ManifestEntry,
  type PhaseStatistics,
} from "../../core/artifacts/index.js";
import { conceptOf, familyUnit } from "../../core/catalog/index.js";
import {
  amountOf,
  epochNs,
  type NamedPhase,
  type Problem,
  type RunStatistics,
  type TimeRange,
  warningOf,
} from "../../core/model/index.js";
import { findPhase, PROFILING, runPhases, WARMUP } from "../../core/window/index.js";
import type { Run } from "../../core/store/index.js";
import { headOf, textOf, type ReadOptions } from "../bytes.js";
import { isFolder } from "../folders.js";
import { liesBelow, statsOf } from "../opener.js";
import { clientRunsIn } from "./client.js";
import { Neighbours } from "./neighbours.js";
import { distinctRuns } from "./siblings.js";
import type { OpenedArtifact, StoredPhase } from "./types.js";
import { plural } from "../../core/text/plural.js";
import { unreadable } from "../failure.js";

const HEAD = 16 * 1024;
/** Unpacked. No manifest and no phase of a run is longer. */
const LIMIT = 256 * 1024 * 1024;

export interface FoundPhases {
  readonly phases: readonly (ManifestEntry & { readonly found?: PhaseStatistics })[];
  readonly notices: readonly Problem[];
}

/**
 * The file to open for a folder, its richest artifact or else the client's results, and for a phase manifest: the
 * richest artifact beside it, else its first phase's statistics. Every other path stands for itself.
 * @throws UserError when a folder holds no run or several; when the manifest cannot be read, names a path outside of
 *   its folder, or there is nothing beside it
 */
export async function artifactOf(path: string, options: ReadOptions = {}): Promise<string> {
  if (await isFolder(path)) return artifactIn(path, options);
  // What cannot be read is reported by whoever opens it.
  const head = await headOf(path, HEAD, options).catch(() => new Uint8Array(0));
  if (!isPhaseManifest(new TextDecoder().decode(head))) return path;
  const directory = dirname(path);
  const entries = await readManifest(path, options);
  const neighbours = await Neighbours.of(path, options);
  for (const { statisticsFile } of entries)
    if (statisticsFile !== undefined) await insideOf(neighbours, statisticsFile, path);
  const rank = (name: string) => rankOf(name, RICHEST_FIRST);
  const [richest] = neighbours.named(isArtifact).toSorted((a, b) => rank(a) - rank(b));
  if (richest !== undefined) return join(directory, richest);
  const first = entries.find((entry) => entry.statisticsFile !== undefined)?.statisticsFile;
  if (first !== undefined) return insideOf(neighbours, first, path);
  throw new UserError(
    `${path} names phases, but neither their statistics nor an artifact of the run is beside it.`,
    "Open it in the folder that the run was written to.",
  );
}

async function artifactIn(folder: string, options: ReadOptions): Promise<string> {
  const inside = await Neighbours.in(folder, options);
  const runs = await distinctRuns(
    inside
      .named(isArtifact)
      .toSorted()
      .map((name) => inside.path(name)),
  );
  const [first, second] = runs.length > 0 ? runs : await clientRunsIn(inside);
  if (first === undefined)
    throw new UserError(
      [
        `${folder} is a folder without a run: server_metrics_export.jsonl, profile_export.jsonl or the like was expected in it.`,
        ...inside.notices().map(({ reason }) => reason),
      ].join(" "),
      "Open the folder of one run, or one of its files. For a folder of runs use sweep.",
    );
  if (second === undefined) return first;
  throw new UserError(
    `${folder} holds several runs, such as ${basename(first)} and ${basename(second)}.`,
    "Open one of these files, or use sweep for the folder.",
  );
}

/** Whether the file holds one phase's statistics. @throws UserError */
export async function holdsOnePhase(path: string, options: ReadOptions): Promise<boolean> {
  return isPhaseStatistics(new TextDecoder().decode(await headOf(path, HEAD, options)));
}

/** @throws UserError saying what is wrong with the file */
export async function readPhaseFile(path: string, options: ReadOptions): Promise<PhaseStatistics> {
  const text = await textOf(path, LIMIT, options);
  try {
    const read = readPhaseStatistics(text);
    return read.statistics === undefined ? read : { ...read, statistics: withUnits(read.statistics) };
  } catch (error) {
    throw unreadable(path, "a phase's statistics", error);
  }
}

/** The phases that a manifest beside an artifact names; none without one, or when it belongs to another run. */
export async function phasesBeside(
  path: string,
  benchmarkId: string | undefined,
  neighbours: Neighbours,
): Promise<FoundPhases> {
  if (!isArtifact(basename(path))) return NONE;
  const manifest = neighbours.firstOf([PHASE_MANIFEST, `${PHASE_MANIFEST}.gz`, `${PHASE_MANIFEST}.zst`]);
  if (manifest === undefined) return NONE;
  const notices: Problem[] = [];
  const report = (error: unknown) => {
    if (!(error instanceof UserError)) throw error;
    notices.push(warningOf(error.message, error.remedy));
    return undefined;
  };
  const entries = (await readManifest(manifest, neighbours.reading).catch(report)) ?? [];
  const phases: (ManifestEntry & { found?: PhaseStatistics })[] = [];
  for (const entry of entries) {
    const { statisticsFile } = entry;
    const found =
      statisticsFile === undefined
        ? undefined
        : await insideOf(neighbours, statisticsFile, manifest)
            .then((file) => readPhaseFile(file, neighbours.reading))
            .catch(report);
    const id = found?.statistics?.benchmarkId;
    if (id !== undefined && id !== "" && benchmarkId !== undefined && id !== benchmarkId) return NONE;
    const other = found?.statistics === undefined ? undefined : otherCount(entry, found.statistics);
    if (other !== undefined) notices.push(other);
    phases.push({ ...entry, ...(found === undefined ? {} : { found }) });
  }
  return { phases, notices };
}

/**
 * More observations of requests than the load generator sent in the phase: those of an earlier phase, published after
 * its last scrape (AIPerf #1435), or of other clients. Fewer than succeeded: AIPerf tags a scrape that it asked for at
 * the end of the warm-up as the warm-up's, however late the answer comes.
 */
function otherCount(
  { name, requests, succeeded = 0 }: ManifestEntry,
  { families }: RunStatistics,
): Problem | undefined {
  if (requests === undefined) return undefined;
  // Servers behind one another each observe a request.
  const observed = families
    .filter((family) => family.type === "histogram" && conceptOf(family.name)?.concept.id === "e2e-latency")
    .map((family) => ({
      family: family.name,
      count: family.series.reduce((sum, each) => sum + amountOf(each), 0),
    }))
    .reduce<{ readonly family: string; readonly count: number } | undefined>(
      (most, one) => (most === undefined || one.count > most.count ? one : most),
      undefined,
    );
  if (observed === undefined) return undefined;
  if (observed.count < succeeded)
    return warningOf(
      `Phase ${name}: ${observed.family} had ${plural(observed.count, "observation")}, but ${plural(succeeded, "request")} of the load generator succeeded. The other ${succeeded - observed.count} ended before the first scrape that is tagged as the phase's, or at servers that were not scraped.`,
      "Pause the load between phases, or capture beside the load generator: server-metrics capture -- COMMAND.",
    );
  if (observed.count <= requests) return undefined;
  return warningOf(
    `Phase ${name}: ${observed.family} had ${plural(observed.count, "observation")}, but the load generator sent ${plural(requests, "request")}. The other ${observed.count - requests} came from the previous phase, published after its last scrape, or from other clients.`,
    "Pause the load for the flush period between phases.",
  );
}

const NONE: FoundPhases = { phases: [], notices: [] };

/** Of each endpoint from the first scrape of profiling to its last. */
function tagsOf(phases: FoundPhases["phases"]): ReadonlyMap<string, TimeRange> {
  const tags = new Map<string, TimeRange>();
  for (const { kind, found } of phases) {
    for (const [url, info] of kind === "profiling" ? (found?.statistics?.endpointInfo ?? []) : []) {
      const { start = info.first_fetch_ns, end = info.last_fetch_ns } = tags.get(url) ?? {};
      tags.set(url, {
        start: info.first_fetch_ns < start ? info.first_fetch_ns : start,
        end: info.last_fetch_ns > end ? info.last_fetch_ns : end,
      });
    }
  }
  return tags;
}

/** Gives a run of samples the phases that a manifest names; those that its own file tells stay as they are. */
export function addPhases(run: Run, { phases }: FoundPhases): void {
  // AIPerf's Parquet has no tags, and its JSONL lacks scrapes of the same values, the first of a phase among them. Its
  // phases' files tell them endpoint by endpoint, also where those of two interleave.
  const isAiperf = run.fileStatistics?.assumedReference !== undefined || run.tagged !== undefined;
  const tags = isAiperf ? tagsOf(phases) : undefined;
  if (tags !== undefined && tags.size > 0) {
    const before = run.tagged;
    // The warm-up's last scrape may be later than the first of profiling: a Parquet has no tags that tell.
    const warmups = phases.filter(({ kind }) => kind === "warmup");
    const ends = new Map(warmups.flatMap(({ found }) => found?.statistics?.endpointInfo ?? []));
    run.tagged = new Map(
      [...tags].map(([url, range]) => {
        const last = ends.get(url)?.last_fetch_ns;
        if (last === undefined) return [url, range];
        const earlier = before?.get(url)?.warmup?.filter((time) => time < last) ?? [];
        return [url, { ...range, warmup: [...earlier, last] }];
      }),
    );
  }
  if (run.hasNamedProfiling) return;
  for (const { name, kind, start, end, found } of phases) {
    const bounds = found?.scrapes;
    const phase: NamedPhase = { name, kind, start, end };
    run.putPhase(bounds === undefined ? phase : { ...phase, tags: { from: bounds.first, to: nextNs(bounds.last) } });
  }
}

/** Statistics of a file that does not tell its window, a CSV: from the first profiling phase to the end of the last. */
export function withWindow(statistics: RunStatistics, { phases }: FoundPhases): RunStatistics {
  const [first, ...others] = phases.filter(({ kind }) => kind === "profiling");
  if (first === undefined || statistics.endNs > statistics.startNs) return statistics;
  const whole = others.reduce<TimeRange>(
    (range, { start, end }) => ({
      start: start < range.start ? start : range.start,
      end: end > range.end ? end : range.end,
    }),
    first,
  );
  return { ...statistics, startNs: whole.start, endNs: whole.end };
}

/** The phases of statistics: those of the manifest, else profiling and, where the file has one, the warm-up. */
export function storedPhases(statistics: RunStatistics, { phases }: FoundPhases): readonly StoredPhase[] {
  const stored = phases.flatMap(({ name, kind, start, end, found }): StoredPhase[] =>
    found?.statistics === undefined ? [] : [{ name, kind, start, end, statistics: found.statistics }],
  );
  if (stored.some(({ kind }) => kind === "profiling")) return stored;
  const { warmup, phase = "profiling", startNs: start, endNs: end, ...rest } = statistics;
  const own: StoredPhase = {
    name: phase === "warmup" ? WARMUP : PROFILING,
    kind: phase,
    start,
    end,
    statistics: { ...rest, phase, startNs: start, endNs: end },
  };
  if (warmup === undefined || warmup.families.length === 0) return [own];
  return [
    {
      name: WARMUP,
      kind: "warmup",
      start: warmup.start,
      end: warmup.end,
      statistics: {
        ...rest,
        phase: "warmup",
        startNs: warmup.start,
        endNs: warmup.end,
        families: warmup.families,
      },
    },
    own,
  ];
}

/**
 * The opened artifact with the statistics of one phase: of samples the run's window is chosen, of statistics that
 * phase's are taken.
 * @throws UserError when it has no such phase, naming those that it has
 */
export function selectPhase(opened: OpenedArtifact, name: string): OpenedArtifact {
  switch (opened.kind) {
    case "samples": {
      const phases = runPhases(opened.run);
      const phase = findPhase(phases, name);
      if (phase === undefined) throw noSuchPhase(opened.path, name, phases);
      // Without names profiling is what the run's own window is.
      opened.run.chooseWindow(phase.window.kind !== "exact" ? undefined : phase.window);
      return opened;
    }
    case "statistics": {
      const phase = findPhase(opened.phases, name);
      if (phase === undefined) throw noSuchPhase(opened.path, name, opened.phases);
      return { ...opened, statistics: phase.statistics, phases: [phase] };
    }
    case "snapshot":
      throw new UserError(`${opened.path} is one exposition: it has no phases.`);
  }
}

function noSuchPhase(path: string, name: string, phases: readonly { readonly name: string }[]): UserError {
  return new UserError(`${path} has no phase ${name}.`, `It has ${phases.map((phase) => phase.name).join(", ")}.`);
}

async function readManifest(path: string, options: ReadOptions): Promise<readonly ManifestEntry[]> {
  const text = await textOf(path, LIMIT, options);
  try {
    return readPhaseManifest(text);
  } catch (error) {
    throw unreadable(path, "a phase manifest", error);
  }
}

/** A path that a manifest names. @throws UserError when it leaves the manifest's folder, also by a link */
async function insideOf({ directory, reading }: Neighbours, name: string, manifest: string): Promise<string> {
  const path = join(directory, name);
  if (isAbsolute(name) || name.includes("\0") || name.includes("\\") || !liesBelow(directory, path))
    throw new UserError(
      `${manifest} names ${JSON.stringify(name)}, which lies outside its folder: it was not read.`,
      "A manifest names files of its own run only.",
    );
  for (const candidate of [`${path}.zst`, path, `${path}.gz`]) {
    const found = await statsOf(candidate, reading).catch((error: unknown) => {
      if (!(error instanceof UserError && error.system === "ENOENT")) throw error;
      return undefined;
    });
    if (found !== undefined) return candidate;
  }
  throw new UserError(`${manifest} names ${name}, which is not there.`);
}

function withUnits(statistics: RunStatistics): RunStatistics {
  return {
    ...statistics,
    families: statistics.families.map((family) => {
      const unit = family.unit ?? familyUnit(family);
      return unit === undefined ? family : { ...family, unit };
    }),
  };
}

function nextNs(time: NamedPhase["start"]): NamedPhase["start"] {
  return epochNs(time + 1n);
}
