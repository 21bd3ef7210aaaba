import { pathToFileURL } from "node:url";
import { UserError } from "../../core/text/errors.js";
import { ExpositionParser, ParseError } from "../../core/exposition/index.js";
import {
  DEFAULT_LIMITS,
  droppedProblem,
  durationNs,
  epochNs,
  LINE_LIMITS,
  type Problem,
  noteOf,
} from "../../core/model/index.js";
import { Run, Store } from "../../core/store/index.js";
import { contentOf } from "../bytes.js";
import { statsOf } from "../opener.js";
import { ownMetadata } from "../own-metadata.js";
import type { OpenOptions } from "./types.js";

/**
 * Reads a plain exposition as a run of one scrape, at the time the file was last written.
 * @throws UserError with the line and column of what cannot be read
 */
export async function openSnapshot(
  path: string,
  options: OpenOptions,
): Promise<{ readonly run: Run; readonly notices: readonly Problem[] }> {
  const { mtimeMs } = await statsOf(path, options);
  const body = await contentOf(path, DEFAULT_LIMITS.bodyBytes, options);
  const format = /(^|\n)# EOF\n?$/.test(new TextDecoder().decode(body.subarray(-16))) ? "openmetrics" : "text";
  const parser = new ExpositionParser({ limits: DEFAULT_LIMITS });
  const url = pathToFileURL(path).href;
  const time = epochNs(BigInt(Math.round(mtimeMs)) * 1_000_000n);
  const store = new Store(time);
  try {
    const batch = parser.parse(body, format);
    store.append({
      endpointUrl: url,
      time,
      latency: durationNs(0),
      requestSent: time,
      outcome: { kind: "samples", batch },
    });
  } catch (error) {
    if (error instanceof ParseError) throw new UserError(`${path} cannot be read as an exposition: ${error.message}.`);
    throw error;
  }
  if (store.seriesCount === 0) throw new UserError(`${path} contains no sample.`);
  const run = new Run(ownMetadata(store), store);
  run.setProfilingStart(time);
  run.setProfilingEnd(time);
  return {
    run,
    notices: [
      ...LINE_LIMITS.flatMap((limit) => {
        const count = parser.dropped[limit];
        return count === undefined ? [] : [droppedProblem(path, limit, count, DEFAULT_LIMITS)];
      }),
      ...parser.takeNotes().map((note) => noteOf(note.message)),
    ],
  };
}
