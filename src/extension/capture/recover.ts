import { t } from "@vscode/l10n";
import { Disposable } from "vscode";
import { formatValue } from "../../core/catalog/display.js";
import { type SpawnEngine, EngineRun } from "../engine.js";
import type { EndpointHeaders } from "../headers.js";
import { isUnapproved } from "../origins.js";
import { withEngineProgress } from "../progress.js";
import { confirm } from "../workbench-text.js";
import { problemWords } from "../words.js";
import type { JournalFile } from "../../files/journal/files.js";
import type { Journals } from "./journals.js";
import { remoteWriteOptions } from "./request.js";
import { showAndSave, type ShowParts } from "./write-artifacts.js";
import { plural } from "../../core/text/plural.js";

export interface RecoverParts extends ShowParts {
  readonly spawnEngine: SpawnEngine;
  readonly journals: Journals;
  readonly headers: EndpointHeaders;
  /** Journals offered in this window already. */
  readonly offered: Set<string>;
}

/**
 * When to look for journals after the start. A reloaded window starts before the extension host of the old one has
 * ended, and until then its journal has a living owner.
 */
const LOOK_AFTER_MS = [0, 10_000, 60_000];

/** Offers what an earlier window left behind. */
export function offerRecoveryAtStart(parts: RecoverParts): Disposable {
  const timers = LOOK_AFTER_MS.map((delay) => setTimeout(() => parts.notifier.run(offerRecovery(parts, false)), delay));
  return new Disposable(() => timers.forEach(clearTimeout));
}

/**
 * Offers each journal that no artifacts were written from: Recover, Discard (after a confirmation) or Later, which
 * leaves it for the next start of the window.
 * @param asked the user asked for it, so an answer is due even when there is nothing
 */
export async function offerRecovery(parts: RecoverParts, asked: boolean): Promise<void> {
  const journals = (await parts.journals.abandoned()).filter(({ path }) => asked || !parts.offered.has(path));
  if (journals.length === 0) {
    if (asked) parts.notifier.info(t("There is nothing to recover: every capture has been saved."));
    return;
  }
  offer(parts, journals);
}

/** The workbench leaves out the fourth new message of a moment, and draws three. */
const SHOWN_AT_ONCE = 3;

/** A message for each journal, or for the first and one for those after them, which shows these. */
function offer(parts: RecoverParts, journals: readonly JournalFile[]): void {
  for (const { path } of journals) parts.offered.add(path);
  const now = journals.length > SHOWN_AT_ONCE ? SHOWN_AT_ONCE - 1 : journals.length;
  const later = journals.slice(now);
  const showLater = async () => {
    const left = await parts.journals.abandoned();
    offer(
      parts,
      left.filter(({ path }) => later.some((one) => one.path === path)),
    );
  };
  if (later.length > 0)
    parts.notifier.info(
      t`${later.length} more server metrics captures ended before their artifacts were written.`,
      { title: t("Show"), run: showLater },
      { title: t("Later"), run: () => undefined },
    );
  for (const journal of journals.slice(0, now))
    parts.notifier.info(
      t`A server metrics capture of ${describe(journal)} ended before its artifacts were written.`,
      { title: t("Recover"), run: () => recover(parts, journal) },
      { title: t("Later"), run: () => undefined },
      { title: t("Discard…"), run: () => discard(parts, journal) },
    );
}

function describe({ modifiedMs, bytes }: JournalFile): string {
  return `${new Date(modifiedMs).toLocaleString()} (${formatValue(bytes, "bytes")})`;
}

async function recover(parts: RecoverParts, journal: JournalFile): Promise<void> {
  try {
    await showAndSave(parts, await rebuild(parts, journal));
  } catch (error) {
    parts.notifier.error(
      error,
      { title: t("Retry"), run: () => recover(parts, journal) },
      { title: t("Discard…"), run: () => discard(parts, journal) },
    );
  }
}

/** The journal's run in an engine of its own. */
async function rebuild(parts: RecoverParts, journal: JournalFile): Promise<EngineRun> {
  const engine = parts.spawnEngine();
  parts.journals.use(journal.path);
  try {
    const remoteWrite = await remoteWriteOptions(parts.headers).catch((error: unknown) => {
      // A capture must not stay lost because its user will not have it sent anywhere.
      if (!isUnapproved(error)) throw error;
      parts.notifier.log.warn(error.message);
      return undefined;
    });
    const recovered = await withEngineProgress(
      engine.client,
      { title: t("Recovering a capture"), request: "recover" },
      (signal) =>
        engine.client.call(
          "recover",
          { journalPath: journal.path, ...(remoteWrite === undefined ? {} : { remoteWrite }) },
          signal,
        ),
    );
    parts.notifier.log.info(`${journal.path}: ${plural(recovered.scrapes, t("scrape"), t("scrapes"))} recovered`);
    for (const problem of recovered.problems) parts.notifier.log.warn(problemWords(problem));
    const run = new EngineRun(engine);
    run.journalPath = journal.path;
    run.onDidEnd(() => parts.journals.release(journal.path));
    await run.refresh();
    return run;
  } catch (error) {
    await engine.dispose();
    parts.journals.release(journal.path);
    throw error;
  }
}

async function discard(parts: RecoverParts, journal: JournalFile): Promise<void> {
  const confirmed = await confirm(
    t("Discard the unsaved capture?"),
    t`The journal of ${describe(journal)} is deleted. This cannot be undone.`,
    t("Discard"),
  );
  if (confirmed !== t("Discard")) return;
  await parts.journals.remove(journal.path);
  parts.notifier.log.info(`${journal.path}: discarded`);
}
