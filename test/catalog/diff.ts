import { readFile } from "node:fs/promises";
import { familiesInSource, unlistedFamilies } from "../support/catalog-diff.js";
import { formatOfContentType, ExpositionParser } from "../../src/core/exposition/index.js";

const USAGE =
  "npm run catalog -- diff FILE…, each an exposition (the text at /metrics) or a server's own source file. " +
  "A Go source may need the file that defines its constants beside it.";

/** Prints the families of expositions and sources that the catalogue lacks, one a line, with the server's name. */
export async function run(args: readonly string[]): Promise<void> {
  const [command, ...files] = args;
  if (command !== "diff" || files.length === 0) throw new Error(USAGE);
  const read = await Promise.all(files.map(async (file) => ({ file, text: await readFile(file, "utf8") })));
  const sources = read.flatMap(({ text }) => (isExposition(text) ? [] : [text]));
  const named = read.map(({ file, text }) => ({
    file,
    names: isExposition(text) ? familiesOfExposition(text) : familiesInSource(text, sources),
  }));
  if (named.every(({ names }) => names.length === 0))
    throw new Error(`${files.join(", ")} names no metric family. ${USAGE}`);
  for (const { file, names } of named) {
    const unlisted = unlistedFamilies(names);
    process.stdout.write(`${file}: ${names.length} families, ${unlisted.length} not in the catalogue\n`);
    for (const { name, server } of unlisted)
      process.stdout.write(`  ${name}${server === undefined ? "" : `  (${server})`}\n`);
  }
}

function isExposition(text: string): boolean {
  return /^# (TYPE|HELP) /m.test(text) || /^[a-zA-Z_:][\w:]*(\{[^\n]*\})? [-+\d.eENaIinf]+( \d+)?$/m.test(text);
}

function familiesOfExposition(text: string): string[] {
  const batch = new ExpositionParser().parse(Buffer.from(text), formatOfContentType(""));
  return [...new Set(batch.defs.map(({ family }) => family.name))];
}
