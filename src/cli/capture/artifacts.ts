import { join, basename } from "node:path";
import { UserError } from "../../core/text/errors.js";
import { artifactName, COMPRESSIONS } from "../../core/artifacts/index.js";
import { isoTextOfMs } from "../../core/model/index.js";
import {
  hiddenJournalName,
  journalPrefix,
  listJournals,
  exportArtifacts,
  makeFolder,
  PartialExport,
} from "../../files/index.js";
import { isThere } from "../../files/folders.js";
import { EXPORT_FORMATS, type ArtifactFormat, type ExportedFile, type ExportOptions } from "../../protocol/index.js";
import { note } from "../print/terminal.js";
import { tmpdir, homedir } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import type { Capture } from "../../engine/index.js";
import { noun } from "../../core/text/plural.js";
import { notDone } from "../exit.js";

/**
 * Looks at the folder that a capture is to write to, before it begins: the artifacts of another run are not replaced, a
 * journal that was left there is mentioned.
 * @throws UserError when artifacts of these names are there, or are being captured, unless `force`
 */
export async function checkOutFolder(out: string, prefix: string | undefined, force: boolean): Promise<void> {
  const names = EXPORT_FORMATS.flatMap((format) =>
    [undefined, ...COMPRESSIONS].map((compression) => artifactName(format, prefix, compression)),
  );
  for (const name of names) {
    if (!force && (await isThere(join(out, name))))
      throw new UserError(
        `${join(out, name)} is there already: a second capture would leave a mix of two runs.`,
        "Choose another --out or --prefix, or give --force to replace it.",
      );
  }
  for (const { path, bytes, modifiedMs, ownerPid } of await listJournals(out)) {
    if (ownerPid === undefined) {
      note(
        `note: an earlier capture left its journal in this folder: ${path} (${bytes} bytes, last written ${isoTextOfMs(modifiedMs)}). server-metrics recover '${path}' --out DIR writes its artifacts.`,
      );
    } else if (!force && path.startsWith(join(out, journalPrefix(prefix)))) {
      throw new UserError(
        `process ${ownerPid} is capturing into ${out}: both would write the same files.`,
        "Choose another --out or --prefix, or give --force.",
      );
    }
  }
}

/** Where the journal of a capture lies: beside its artifacts, hidden. */
export function journalPath(out: string, prefix: string | undefined): string {
  return join(out, hiddenJournalName(prefix));
}

interface WhereTo {
  readonly out: string;
  readonly formats: readonly ArtifactFormat[];
  /** How they are written. */
  readonly options: Omit<ExportOptions, "directory" | "formats">;
  /** Tried before the system's folders when `out` cannot take the artifacts. */
  readonly fallbackOut?: string;
}

/** What another folder may do better. */
const PLACE_CODES = new Set(["ENOSPC", "EDQUOT", "EROFS", "EIO", "EACCES", "EPERM", "EFBIG", "EEXIST"]);
const RETRY_MS = 2000;
/** How often a failure that no other place and no room cures is met before it counts as one that stays. */
const ATTEMPTS = 3;

/**
 * Writes the artifacts of a capture that has ended, in another folder when this one cannot take them. What can be
 * written nowhere stays in the journal; as long as not even that is whole, it waits for room.
 * @param given aborted: the user does not want to wait any longer
 * @returns the files, and what to end with when not all of them are where they were asked for
 * @throws UserError when nothing could be written; it says what is lost, if anything
 */
export async function writeCapture(
  capture: Capture,
  to: WhereTo,
  given: AbortSignal,
): Promise<{ readonly files: readonly ExportedFile[]; readonly failure?: UserError }> {
  const written: ExportedFile[] = [];
  let formats = to.formats;
  for (let attempts = 1; ; attempts++) {
    let failure = await attempt(capture, to, to.out, formats, written);
    if (failure === undefined) {
      await capture.discard();
      return { files: written };
    }
    formats = failure.formats;
    const reason = failure.error;
    for (const folder of failure.place ? fallbacks(to) : []) {
      failure = await attempt(capture, to, folder, formats, written);
      if (failure === undefined) {
        await capture.discard();
        note(`warning: ${reason.message} Written to ${folder} instead: ${formats.join(", ")}.`);
        return {
          files: written,
          failure: notDone(reason.message, `The files are in ${folder}.`),
        };
      }
      formats = failure.formats;
    }
    const kept = (await journalIsWhole(capture, to)) ? `Nothing is lost: ${recoverWords(capture)}` : undefined;
    if (kept !== undefined) return { files: written, failure: notDone(reason.message, joined(reason.remedy, kept)) };
    const { unjournalled } = capture;
    const lost = () =>
      notDone(
        `${reason.message} ${capture.unjournalled} of ${capture.run.store.scrapes} scrapes ${noun(capture.unjournalled, "is", "are")} lost.`,
        capture.journalPath === undefined ? undefined : `The others: ${recoverWords(capture)}`,
      );
    if (!failure.place && attempts >= ATTEMPTS) throw lost();
    note(
      `warning: ${reason.message} ${unjournalled} ${noun(unjournalled, "scrape is", "scrapes are")} in memory only. ${failure.place ? `Waiting for space in ${to.out}` : "Trying again"}. Interrupt to give up and lose them.`,
    );
    await wait(RETRY_MS, undefined, { signal: given }).catch(() => {
      throw lost();
    });
  }
}

interface Failure {
  readonly formats: readonly ArtifactFormat[];
  readonly error: UserError;
  /** Another folder may take it. */
  readonly place: boolean;
}

async function attempt(
  { run }: Capture,
  { options }: WhereTo,
  directory: string,
  formats: readonly ArtifactFormat[],
  written: ExportedFile[],
): Promise<Failure | undefined> {
  try {
    written.push(...(await exportArtifacts(run, { ...options, directory, formats })));
    return undefined;
  } catch (error) {
    if (error instanceof PartialExport) {
      written.push(...error.files);
      const failed = error.failures.map(({ format }) => format);
      return { formats: failed, error, place: error.failures.some((one) => isPlace(one.error)) };
    }
    if (error instanceof UserError) return { formats, error, place: isPlace(error) };
    throw error;
  }
}

function isPlace({ system }: UserError): boolean {
  return system !== undefined && PLACE_CODES.has(system);
}

function fallbacks({ out, fallbackOut }: WhereTo): readonly string[] {
  const name = `server-metrics-${basename(out)}-${process.pid}`;
  return [...(fallbackOut === undefined ? [] : [fallbackOut]), join(tmpdir(), name), join(homedir(), name)];
}

/** Brings what the journal lacks to a disk, if there is one that takes it. */
async function journalIsWhole(capture: Capture, to: WhereTo): Promise<boolean> {
  for (const folder of capture.journalPath === undefined ? [] : fallbacks(to)) {
    // What it left out at its limit is in memory alone, wherever the journal is.
    if (!capture.journalWaits) break;
    try {
      await makeFolder(folder);
      await capture.moveJournal(join(folder, hiddenJournalName()));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
    }
  }
  return capture.unjournalled === 0;
}

function recoverWords({ journalPath }: Capture): string {
  return `server-metrics recover '${journalPath ?? ""}' --out DIR writes it.`;
}

function joined(...sentences: readonly (string | undefined)[]): string {
  return sentences.filter((sentence) => sentence !== undefined).join(" ");
}
