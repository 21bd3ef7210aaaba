/**
 * What tests and `npm start` need beyond the project's packages is installed once into .cache/workbench. Only node:
 * modules.
 */
import { mkdir, mkdtemp, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { npm, root } from "./project.mjs";

const cache = path.join(root, ".cache/workbench");

/** @param {string} name path within the cache, of what may not be there */
export function cached(name) {
  return path.join(cache, name);
}

/**
 * A folder of the cache, made once: a folder that exists is complete.
 * @param {string} name
 * @param {(directory: string) => Promise<void>} make
 * @param {string} [from] where it is got from, for the error
 * @returns {Promise<string>} the folder
 * @throws Error saying what could not be installed
 */
export async function installed(name, make, from = "the npm registry; check that npm reaches it") {
  const directory = path.join(cache, name);
  if (await exists(directory)) return directory;
  await mkdir(cache, { recursive: true });
  const temporary = await mkdtemp(path.join(cache, `.${name}-`));
  try {
    await make(temporary);
    await rename(temporary, directory);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    // Another run may have finished first.
    if (await exists(directory)) return directory;
    throw new Error(
      `${name} could not be installed into ${path.relative(root, cache)}: ${error instanceof Error ? error.message : String(error)}. ` +
        `It comes from ${from}, then try again.`,
    );
  }
  return directory;
}

/**
 * @param {string} directory
 * @param {string[]} packages none: what its package.json lists
 */
export async function installPackages(directory, ...packages) {
  if (packages.length > 0) await writeFile(path.join(directory, "package.json"), '{ "private": true }\n');
  await npm(["install", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", ...packages], {
    cwd: directory,
  });
}

/** @param {string} file */
export function exists(file) {
  return stat(file).then(
    () => true,
    () => false,
  );
}
