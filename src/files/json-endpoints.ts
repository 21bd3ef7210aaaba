import { join } from "node:path";
import { replaceFile } from "./atomic.js";
import { textOf } from "./bytes.js";
import { cacheFolder } from "./folders.js";

/** URLs whose `/metrics` is JSON that a reading takes away, as known from earlier captures. */
export type JsonEndpoints = ReadonlySet<string>;

const VERSION = 1;
/** The oldest are forgotten beyond. */
const MOST = 1000;

/** Where the command line and the editor keep them: the user's folder for what can be found out again. */
function jsonEndpointsFile(): string {
  return join(cacheFolder(), "json-endpoints.json");
}

/** What is not there or cannot be read is nothing known. */
export async function readJsonEndpoints(): Promise<JsonEndpoints> {
  const text = await textOf(jsonEndpointsFile(), 16 * 1024 ** 2).catch(() => "");
  try {
    const content: unknown = JSON.parse(text);
    if (typeof content !== "object" || content === null || !("urls" in content) || !Array.isArray(content.urls))
      return new Set();
    return new Set(content.urls.filter((url) => typeof url === "string"));
  } catch {
    return new Set();
  }
}

/** @throws UserError when they cannot be written */
export async function changeJsonEndpoints({
  add = [],
  remove = [],
}: {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}): Promise<void> {
  // Read again: another capture may have found some meanwhile.
  const before = await readJsonEndpoints();
  const urls = new Set(before);
  for (const url of remove) urls.delete(url);
  for (const url of add) urls.add(url);
  if (urls.size === before.size && [...urls].every((url) => before.has(url))) return;
  await replaceFile(
    jsonEndpointsFile(),
    `${JSON.stringify({ version: VERSION, urls: [...urls].slice(-MOST) }, undefined, 2)}\n`,
  );
}
