import { UserError } from "../../core/text/errors.js";
import {
  CsvArtifactReader,
  JsonArtifactReader,
  type LineProblem,
  type ReadStatistics,
} from "../../core/artifacts/index.js";
import { type Problem, type RunStatistics, warningOf, noteOf } from "../../core/model/index.js";
import { bytesOf, eachChunk, textOf } from "../bytes.js";
import { LISTED, skippedNotice, schemaNotice } from "./notices.js";
import type { OpenOptions } from "./types.js";
import { unreadable } from "../failure.js";

export interface ReadFile {
  readonly statistics: RunStatistics;
  readonly notices: readonly Problem[];
  readonly schemaVersion?: string;
  readonly exporter?: string;
}

/** Reads a JSON artifact, family by family. @throws UserError; the signal's reason */
export async function readJsonFile(path: string, options: OpenOptions): Promise<ReadFile> {
  const reader = new JsonArtifactReader((version) => void schemaNotice(path, version));
  return read(
    path,
    "a JSON artifact",
    (bytes) => reader.push(bytes),
    () => reader.end(),
    options,
  );
}

/** Reads a CSV artifact. @throws UserError; the signal's reason */
export async function readCsvFile(path: string, options: OpenOptions): Promise<ReadFile> {
  const reader = new CsvArtifactReader((version) => void schemaNotice(path, version));
  const decoder = new TextDecoder();
  return read(
    path,
    "a CSV artifact",
    (bytes) => reader.push(decoder.decode(bytes, { stream: true })),
    () => reader.end(),
    options,
  );
}

/** Summaries of one benchmark: far smaller than this. */
const EARLIER_LIMIT = 256 * 1024 ** 2;

/** Reads a file of an earlier layout. @throws UserError; the signal's reason */
export async function readEarlierFile(
  path: string,
  read: (text: string) => RunStatistics,
  options: OpenOptions,
): Promise<ReadFile> {
  const text = await textOf(path, EARLIER_LIMIT, options);
  try {
    return { statistics: read(text), notices: [] };
  } catch (error) {
    throw unreadable(path, "a file of AIPerf's earlier layout", error);
  }
}

function lineNotices(problems: readonly LineProblem[], count: number): Problem[] {
  const skipped = problems.filter(({ torn }) => !torn);
  const torn = problems.find((problem) => problem.torn);
  return [
    ...(torn === undefined
      ? []
      : [warningOf(`Line ${torn.line}, the last one, is cut off (${torn.message}): everything before it is shown.`)]),
    ...(skipped.length === 0 ? [] : [skippedNotice(count, skipped.slice(0, LISTED))]),
  ];
}

async function read(
  path: string,
  what: string,
  push: (bytes: Uint8Array) => void,
  end: () => ReadStatistics,
  options: OpenOptions,
): Promise<ReadFile> {
  const explained = <T>(use: () => T): T => {
    try {
      return use();
    } catch (error) {
      if (error instanceof UserError) throw error;
      throw unreadable(path, what, error);
    }
  };
  await eachChunk(bytesOf(path, options), (chunk) => explained(() => push(chunk)));
  const { statistics, unknownFields, problems = [], skippedLines = 0, schemaVersion, exporter } = explained(end);
  const schema = schemaNotice(path, schemaVersion);
  const notices: Problem[] = [
    ...(schema === undefined ? [] : [schema]),
    ...lineNotices(problems, skippedLines),
    ...(unknownFields.length > 0
      ? [noteOf(`Unknown fields were left out: ${unknownFields.slice(0, 10).join(", ")}.`)]
      : []),
  ];
  return {
    statistics,
    notices,
    ...(schemaVersion === undefined ? {} : { schemaVersion }),
    ...(exporter === undefined ? {} : { exporter }),
  };
}
