import { readEarlierCsv, readEarlierJson } from "../../core/artifacts/index.js";
import type { RunStatistics } from "../../core/model/index.js";
import { textOf } from "../bytes.js";
import type { ReadFile } from "./statistics.js";
import type { OpenOptions } from "./types.js";
import { unreadable } from "../failure.js";

/** Summaries of one benchmark: far smaller than this. */
const LIMIT = 256 * 1024 ** 2;

/** @throws UserError; the signal's reason */
export function openEarlierJson(path: string, options: OpenOptions): Promise<ReadFile> {
  return openEarlier(path, readEarlierJson, options);
}

/** @throws UserError; the signal's reason */
export function openEarlierCsv(path: string, options: OpenOptions): Promise<ReadFile> {
  return openEarlier(path, readEarlierCsv, options);
}

async function openEarlier(
  path: string,
  read: (text: string) => RunStatistics,
  options: OpenOptions,
): Promise<ReadFile> {
  const text = await textOf(path, LIMIT, options);
  try {
    return {
      statistics: read(text),
      notices: [],
    };
  } catch (error) {
    throw unreadable(path, "a file of AIPerf's earlier layout", error);
  }
}
