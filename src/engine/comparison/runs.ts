import { compareRuns, setsOfRepeats, setLabel, sourceOf, type RunSet } from "../../core/compare/index.js";
import { groupBy } from "../../core/math/index.js";
import { naturalOrder } from "../../core/text/index.js";
import type { ComparedSource, RunId } from "../../protocol/comparison.js";
import { describeError, type DescribedError } from "../../protocol/index.js";
import { shortLabels } from "./labels.js";
import { SourceRun } from "./compared-run.js";
import { engineError } from "../engine-error.js";

export interface LabelledSet {
  /** The first one of the set. */
  readonly run: SourceRun;
  /** All of them by what they are called in the set. */
  readonly ids: ReadonlyMap<string, RunId>;
  readonly set: RunSet;
}

/** The runs of a comparison in their order, the baseline first. A run keeps its id, whatever becomes of the others. */
export class ComparedRuns {
  private list: SourceRun[] = [];
  /** To be put in order of time before they are compared for the first time. */
  oldestFirst = false;
  /** By run the first one of its set, of sets of repeats. */
  private firstOf = new Map<SourceRun, SourceRun>();
  /** A user has said which runs are repeats. */
  grouped = false;

  get all(): readonly SourceRun[] {
    return this.list;
  }

  has(run: SourceRun): boolean {
    return this.list.includes(run);
  }

  byId(id: RunId): SourceRun | undefined {
    return this.list.find((run) => run.id === id);
  }

  /** @throws UserError when there is none of this id */
  require(id: RunId): SourceRun {
    const run = this.byId(id);
    if (run === undefined) throw engineError("unusable-settings", `there is no run ${id} in this comparison`);
    return run;
  }

  add(source: ComparedSource): SourceRun {
    const run = new SourceRun(this.freeId(source.path), source);
    this.list.push(run);
    return run;
  }

  /** Another file, or the same one read anew, of the same run. */
  replace(before: SourceRun, source: ComparedSource): SourceRun {
    const run = new SourceRun(before.id, source);
    before.release();
    this.list = this.list.map((one) => (one === before ? run : one));
    this.firstOf = new Map(
      [...this.firstOf].map(([one, first]) => [one === before ? run : one, first === before ? run : first]),
    );
    return run;
  }

  /**
   * Keeps the runs of these ids, in their order, repeats of one set beside each other.
   * @param sets which runs are repeats; absent: as before
   * @throws UserError for an unknown id, or for none
   */
  arrange(order: readonly RunId[], sets?: readonly (readonly RunId[])[]): void {
    const runs = [...new Set(order)].map((id) => this.require(id));
    if (runs.length === 0) throw engineError("unusable-settings", "a comparison keeps at least one run");
    for (const run of this.list) if (!runs.includes(run)) run.release();
    this.list = runs;
    this.oldestFirst = false;
    this.grouped ||= sets !== undefined;
    this.group(sets?.map((ids) => ids.flatMap((id) => runs.find((run) => run.id === id) ?? [])) ?? this.setsOf());
  }

  /** As a user grouped them in an earlier session. @param sets paths of their files; runs of others come last */
  restore(sets: readonly (readonly string[])[]): void {
    const known = sets.map((paths) => paths.filter((path) => this.byId(path) !== undefined));
    this.arrange([...known.flat(), ...this.list.map(({ id }) => id)], known);
  }

  /** The runs in their order, repeats together. */
  private setsOf(): readonly (readonly SourceRun[])[] {
    return [...groupBy(this.list, (run) => this.firstOf.get(run) ?? run).values()];
  }

  private group(sets: readonly (readonly SourceRun[])[]): void {
    this.firstOf = new Map(
      sets.flatMap((runs) => runs.flatMap((run) => (runs[0] === undefined ? [] : [[run, runs[0]] as const]))),
    );
    this.list = this.setsOf().flat();
  }

  /**
   * Repeats are found by what the runs tell, unless a user has said which they are. A run that goes on is none: its
   * length would make it one, and none again.
   */
  groupRepeats(): void {
    if (this.grouped) return;
    const named = this.labelled().flatMap(({ run, label }) => {
      const compared = run.source.live === true || run.live ? undefined : run.compared(label);
      return compared === undefined ? [] : [{ label, run: sourceOf(compared), source: run }];
    });
    this.group(setsOfRepeats(named).map((set) => set.map(({ source }) => source)));
  }

  /** The other runs of a run's set, and itself. */
  repeatsOf(id: RunId): readonly SourceRun[] {
    return this.setsOf().find((runs) => runs.some((run) => run.id === id)) ?? [];
  }

  sortIfWanted(): void {
    if (!this.oldestFirst) return;
    this.oldestFirst = false;
    // Those of one time, or of none that is known, by their names: the order of a selection is chance.
    this.list.sort(
      (a, b) =>
        Number(a.beganMs > b.beganMs) - Number(a.beganMs < b.beganMs) || naturalOrder(a.source.path, b.source.path),
    );
  }

  /** Those that cannot be compared come after the others. */
  failedLast(): void {
    const failed = (run: SourceRun) => run.state.kind === "failed" || run.incomparable !== undefined;
    this.list = [...this.list.filter((run) => !failed(run)), ...this.list.filter(failed)];
  }

  /** Each run with what people call it. */
  labelled(): { readonly run: SourceRun; readonly label: string }[] {
    const labels = shortLabels(
      this.list.map((run) => ({ path: run.source.path, ...(run.label === undefined ? {} : { label: run.label }) })),
    );
    return this.list.map((run, i) => ({ run, label: labels[i] ?? run.source.path }));
  }

  /** What is there to be compared. */
  sets(comparedAs: (run: SourceRun, label: string) => ReturnType<SourceRun["compared"]>): LabelledSet[] {
    const labels = new Map(this.labelled().map(({ run, label }) => [run, label]));
    return this.setsOf().flatMap((repeats) => {
      const there = repeats.flatMap((run) => {
        const label = labels.get(run) ?? "";
        const compared = comparedAs(run, label);
        return compared === undefined ? [] : [{ run, label, compared }];
      });
      const [first] = there;
      if (first === undefined) return [];
      const label = setLabel(there.map((one) => one.label));
      const ids = new Map(there.map((one) => [one.label, one.run.id]));
      return [{ run: first.run, ids, set: { label, runs: there.map(({ compared }) => compared) } }];
    });
  }

  /** The path that a run was first given by: the same in a later session. */
  private freeId(path: string): RunId {
    let id = path;
    for (let number = 2; this.byId(id) !== undefined; number++) id = `${path} #${number}`;
    return id;
  }
}

/** Leaves out candidates that have nothing in common with the baseline, if that leaves any. */
export function comparableSets(sets: readonly LabelledSet[]): readonly LabelledSet[] {
  const [baseline, ...candidates] = sets;
  if (baseline === undefined) return sets;
  // A single candidate is not left out: the comparison itself says why it cannot be.
  const alone = candidates.length < 2;
  const incomparable = new Map(
    candidates.map(({ run, set }) => [run, alone ? undefined : whyIncomparable(baseline.set, set)]),
  );
  const some = candidates.some(({ run }) => incomparable.get(run) === undefined);
  for (const { run } of sets) run.incomparable = some ? incomparable.get(run) : undefined;
  return sets.filter(({ run }) => run.incomparable === undefined);
}

/** Why a candidate cannot be compared at all. */
function whyIncomparable(baseline: RunSet, candidate: RunSet): DescribedError | undefined {
  try {
    // What makes two runs incomparable is found before the first step.
    compareRuns(baseline, [candidate]).next();
    return undefined;
  } catch (error) {
    return describeError(error);
  }
}
