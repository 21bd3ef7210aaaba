import { setTimeout as wait } from "node:timers/promises";
import {
  decide,
  type DecidedExperiment,
  type Decision,
  type ExperimentDefinition,
  type RunRecord,
  type PlannedRun,
} from "../core/experiment/index.js";
import { UserError } from "../core/text/index.js";
import { plural } from "../core/text/plural.js";
import { replacedRuns, requireSamePlan, measuredRuns } from "./recorded.js";
import { Journal, type Recorded } from "./journal.js";
import { makeRun, type MakeOptions } from "./make-run.js";
import { Processes, stopLeftovers } from "./processes.js";

export interface RunnerOptions extends Omit<MakeOptions, "processes"> {
  /** Aborted: no further run begins. */
  readonly soon: AbortSignal;
  /** Runs of before are set aside. */
  readonly anew?: boolean;
  /** Asks a person to start the server of a configuration by hand; absent: nobody can be asked. */
  readonly ask?: (text: string) => Promise<void>;
  /** Before each run. */
  readonly onStep?: (step: PlannedRun) => void;
  /** After each run. */
  readonly onRun?: (run: RunRecord, decision: Decision) => void;
}

export interface Outcome extends DecidedExperiment {
  /** Somebody ended it before it was over. */
  readonly stopped: boolean;
}

/**
 * Makes the runs of an experiment that are missing, until it is over or stopped. Nothing that it started is left
 * running, and what an earlier runner left is stopped first.
 * @throws UserError when it cannot be run here, such as with a port in use or runs of another plan
 */
export async function runExperiment(definition: ExperimentDefinition, options: RunnerOptions): Promise<Outcome> {
  if (process.platform === "win32")
    throw new UserError("experiments need process groups, which Windows has not.", "Run it in WSL.");
  const { out, note } = options;
  const journal = await Journal.take(out);
  try {
    const left = journal.before === undefined ? 0 : await stopLeftovers(journal.before.token);
    if (left > 0)
      note(`what an earlier run of this experiment had left was stopped (${plural(left, "process group")})`);
    const isAnew = options.anew === true;
    const replaced = isAnew ? [] : replacedRuns(definition, journal.before);
    if (!isAnew) requireSamePlan(out, definition, journal.before);
    if (replaced.length > 0) note(`made again by the new plan: ${plural(replaced.length, "run")} that did not count`);
    const { aside, ...recorded }: Recorded & { aside?: string } = isAnew
      ? await journal.beginAnew(definition)
      : await journal.begin(definition, replaced);
    if (aside !== undefined) note(`the runs of before are in ${aside}`);
    return await makeRuns(definition, recorded, journal, options);
  } finally {
    await journal.close();
  }
}

async function makeRuns(
  definition: ExperimentDefinition,
  recorded: Recorded,
  journal: Journal,
  options: RunnerOptions,
): Promise<Outcome> {
  const { soon, now } = options;
  let runs = await measuredRuns(definition, recorded.runs, options.out);
  const processes = Processes.begin(recorded.token);
  const before = runs.length;
  let decision = decide(definition, runs, before);
  try {
    let byHand = "";
    while (typeof decision.next !== "string" && !soon.aborted && !now.aborted) {
      const step = decision.next;
      options.onStep?.(step);
      if (isByHand(definition, step) && byHand !== step.configuration) {
        await askFor(step, options);
        if (soon.aborted || now.aborted) break;
        byHand = step.configuration;
      }
      const run = await makeRun(definition, step, { ...options, processes });
      await journal.add(run);
      runs = [...runs, run];
      decision = decide(definition, runs, before);
      options.onRun?.(run, decision);
    }
  } catch (error) {
    if (!now.aborted) throw error;
  } finally {
    await processes.close();
  }
  return { definition, decision, runs, stopped: typeof decision.next !== "string" };
}

/** Is there no command for its server, and another configuration at the same endpoints? */
function isByHand({ configurations }: ExperimentDefinition, { configuration }: PlannedRun): boolean {
  const own = configurations.find(({ name }) => name === configuration);
  return (
    own?.server === undefined &&
    configurations.some((other) => other !== own && JSON.stringify(other.endpoints) === JSON.stringify(own?.endpoints))
  );
}

async function askFor({ configuration }: PlannedRun, { ask, now, soon }: RunnerOptions): Promise<void> {
  const text = `Start the server of ${configuration}`;
  if (ask === undefined)
    throw new UserError(
      `${configuration} has no server command, and its endpoints are those of another configuration.`,
      "Give it one, give it endpoints of its own, or run this in a terminal, which asks for it.",
    );
  const stopped = new AbortController();
  const over = AbortSignal.any([soon, now, stopped.signal]);
  await Promise.race([ask(text), wait(2 ** 31 - 1, undefined, { signal: over }).catch(() => undefined)]);
  stopped.abort();
}
