/**
 * Writes commands, settings and tools of the extension's manifest (`contributes` in package.json) from their
 * definitions in src, and all texts for translations beside them: its own into package.nls.json (package.nls.de.json),
 * those of the extension and its pages, which are in calls of `t`, into media/l10n (bundle.l10n.de.json).
 *
 *   node manifest.mjs [--check]
 *
 * --check writes nothing and fails where a file is not what it would be.
 */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import * as prettier from "prettier";
import ts from "typescript";
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
  [path.join(root, "media/l10n/bundle.l10n.json"), await textsOfCode()],
])) {
  const wanted = await prettier.format(JSON.stringify(content), { filepath: written });
  if (!process.argv.includes("--check")) await writeFile(written, wanted);
  else if (wanted !== (await readFile(written, "utf8")))
    throw new Error(`${written} is not up to date: npm run manifest`);
}

/** What `t` of @vscode/l10n looks up: a text alone, or a template whose values are {0}, {1}. */
async function textsOfCode() {
  /** @type {Set<string>} */
  const found = new Set();
  for (const folder of ["src/extension", "webview-ui"])
    for (const name of await readdir(path.join(root, folder), { recursive: true })) {
      if (!/\.tsx?$/.test(name)) continue;
      const content = await readFile(path.join(root, folder, name), "utf8");
      /** @param {ts.Node} node */
      const visit = (node) => {
        const template = ts.isTaggedTemplateExpression(node) && node.tag.getText() === "t" ? node.template : undefined;
        const [text] = ts.isCallExpression(node) && node.expression.getText() === "t" ? node.arguments : [template];
        if (text !== undefined && ts.isTemplateExpression(text)) {
          const parts = [text.head.text, ...text.templateSpans.map(({ literal }) => literal.text)];
          // Beside the places of values they would be taken for such.
          if (parts.some((part) => /[{}]/.test(part))) throw new Error(`${name}: braces in ${text.getText()}`);
          found.add(parts.reduce((whole, part, i) => `${whole}{${i - 1}}${part}`));
        } else if (text !== undefined && ts.isStringLiteralLike(text)) found.add(text.text);
        else if (text !== undefined) throw new Error(`${name}: t(${text.getText()}) is no text of its own`);
        ts.forEachChild(node, visit);
      };
      visit(ts.createSourceFile(name, content, ts.ScriptTarget.Latest, true));
    }
  return Object.fromEntries([...found].sort().map((text) => [text, text]));
}

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
