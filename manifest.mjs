/**
 * Writes commands, settings and tools of the extension's manifest (`contributes` in package.json) from their
 * definitions in src, and its texts into package.nls.json, for translations beside it (package.nls.de.json).
 *
 *   node manifest.mjs
 */
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import * as prettier from "prettier";
import { nodeOptions } from "./esbuild.mjs";

const root = path.dirname(fileURLToPath(import.meta.url));
const outfile = path.join(root, "out/manifest.cjs");
await esbuild.build({ ...nodeOptions, entryPoints: ["src/extension/manifest/index.ts"], outfile });
const { generatedContributions } = createRequire(import.meta.url)(outfile);
const file = path.join(root, "package.json");
const manifest = JSON.parse(await readFile(file, "utf8"));
const textFile = path.join(root, "package.nls.json");
const known = JSON.parse(await readFile(textFile, "utf8").catch(() => "{}"));
Object.assign(manifest.contributes, generatedContributions());
/** @type {Record<string, string>} */
const texts = {};
manifest.contributes = localized(manifest.contributes, "", "");
for (const [written, content] of /** @type {const} */ ([
  [file, manifest],
  [textFile, texts],
]))
  await writeFile(written, await prettier.format(JSON.stringify(content), { filepath: written }));

/**
 * Has `%key%` stand for each text that a person reads.
 * @param {unknown} value
 * @param {string} at where it is: "commands.serverMetrics.startCapture.title"
 * @param {string} name of the member that it is, or is listed in
 * @returns {unknown}
 */
function localized(value, at, name) {
  if (typeof value === "string") {
    const isText =
      /^(title|displayName|description|contents|contextualTitle|userDescription)$|[dD]escriptions?$/.test(name) ||
      /^views\..*\.name$/.test(at);
    if (!isText || name === "modelDescription") return value;
    texts[at] = known[value.slice(1, -1)] ?? value;
    return `%${at}%`;
  }
  if (typeof value !== "object" || value === null || name === "inputSchema") return value;
  if (Array.isArray(value))
    return value.map((item, i) => {
      const { command, id, view, viewType } = item ?? {};
      // Several welcome texts are of one view.
      const own = command ?? id ?? viewType ?? item?.name ?? (view === undefined ? i : `${view}.${i}`);
      return localized(item, `${at}.${own}`, name);
    });
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, localized(member, at === "" ? key : `${at}.${key}`, key)]),
  );
}
