import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../../src/core/text/errors.js";
import { CsvArtifactReader, JsonArtifactReader, JsonlReader, RunAssembler } from "../../src/core/artifacts/index.js";
import { ExpositionParser, ParseError } from "../../src/core/exposition/index.js";
import { parseDocument } from "../../src/core/exposition/document.js";
import { DEFAULT_LIMITS } from "../../src/core/model/index.js";
import { recoverJournal } from "../../src/files/index.js";
import { openArtifact, ParquetArtifact } from "../../src/files/open/index.js";

/** What reads hostile bytes. A reader refuses in words for a person; anything else that it throws is a finding. */
export interface Target {
  readonly name: string;
  /** @throws what is a finding */
  run(bytes: Uint8Array): void | Promise<void>;
}

export const TARGET_NAMES = ["exposition", "jsonl", "json", "csv", "parquet", "journal"] as const;
export type TargetName = (typeof TARGET_NAMES)[number];

/** @param folder for the files of those that read files */
export function targetOf(name: TargetName, folder: string): Target {
  return { name, run: RUNS[name](folder) };
}

const RUNS: Record<TargetName, (folder: string) => Target["run"]> = {
  exposition: () => {
    // Warm, as in a capture: what a body means must not hang on those before it.
    let parser = new ExpositionParser({ limits: DEFAULT_LIMITS });
    let bodies = 0;
    return (bytes) => {
      if (++bodies % 1000 === 0) parser = new ExpositionParser({ limits: DEFAULT_LIMITS });
      for (const format of ["text", "openmetrics"] as const) {
        const warm = meaning(parser, bytes, format);
        const fresh = meaning(new ExpositionParser({ limits: DEFAULT_LIMITS }), bytes, format);
        if (warm !== fresh) throw new Error(`a parser that has seen other bodies reads ${warm}, a fresh one ${fresh}`);
        for (const mode of ["lenient", "strict"] as const)
          refusing(ParseError, () => void parseDocument(bytes, format, mode));
      }
    };
  },
  jsonl: () => (bytes) => {
    const assembler = new RunAssembler();
    const reader = new JsonlReader({
      onScrape: (scrape, phase) => assembler.scrape(scrape, phase),
      onEvent: (event) => assembler.event(event),
      onProblem: () => undefined,
    });
    inPieces(bytes, (piece) => reader.push(piece));
    reader.end();
    assembler.assemble(NOTHING_KNOWN, reader);
  },
  json: () => (bytes) => {
    inWords(() => {
      const reader = new JsonArtifactReader();
      inPieces(bytes, (piece) => reader.push(piece));
      reader.end();
    });
  },
  csv: () => (bytes) => {
    inWords(() => {
      const reader = new CsvArtifactReader();
      const text = new TextDecoder().decode(bytes);
      for (let at = 0; at < text.length; at += 1000) reader.push(text.slice(at, at + 1000));
      reader.end();
    });
  },
  parquet: (folder) => {
    const path = join(folder, "fuzzed.parquet");
    return async (bytes) => {
      await writeFile(path, bytes);
      await refusingLater(async () => {
        const artifact = await ParquetArtifact.open(path);
        try {
          await artifact.loadAll();
        } finally {
          await artifact.close();
        }
      });
    };
  },
  journal: (folder) => {
    const path = join(folder, "fuzzed.jsonl.gz");
    return async (bytes) => {
      await writeFile(path, bytes);
      await refusingLater(() => recoverJournal(path));
      await refusingLater(() => openArtifact(path));
    };
  },
};

const NOTHING_KNOWN = { benchmarkId: "", endpointsConfigured: [], sliceDurationSeconds: 5, inputConfig: {} };

function meaning(parser: ExpositionParser, bytes: Uint8Array, format: "text" | "openmetrics"): string {
  try {
    const { defs, ids, values, length } = parser.parse(bytes, format);
    return Array.from({ length }, (_, i) => `${JSON.stringify(defs[ids[i] ?? 0])} ${values[i]}`)
      .sort()
      .join("\n");
  } catch (error) {
    if (error instanceof ParseError) return error.message;
    throw error;
  }
}

function inPieces(bytes: Uint8Array, push: (piece: Uint8Array) => void): void {
  const size = 1 + (bytes.length % 4099);
  for (let at = 0; at < bytes.length; at += size) push(bytes.subarray(at, at + size));
}

function refusing(expected: typeof ParseError, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof expected)) throw error;
  }
}

/** Readers of bytes throw plain errors; what the language throws by itself is a fault of theirs. */
function inWords(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Error) || error.constructor !== Error) throw error;
  }
}

async function refusingLater(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
  }
}
