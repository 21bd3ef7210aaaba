/**
 * Writes commands, settings and tools of the extension's manifest (`contributes` in package.json) from their
 * definitions in src.
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
Object.assign(manifest.contributes, generatedContributions());
await writeFile(file, await prettier.format(JSON.stringify(manifest), { filepath: file }));
