/**
 * The packages that esbuild's metafiles say are bundled: THIRD_PARTY_NOTICES.txt with each one's licence, and the same
 * list in the format of CycloneDX, for tools that look for known vulnerabilities.
 */
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

/** Of a package that names none and has a text. */
const IN_TEXT = "as follows";

/** @typedef {{ name: string, version: string, license: string, texts: readonly string[] }} Notice */

/**
 * The inputs of a build of which something is in its output: modules whose every export is dropped are not. What a
 * style names by `url()` is part of the style's bytes.
 * @param {import("esbuild").Metafile} metafile
 * @returns {readonly string[]}
 */
export function shippedInputs({ inputs, outputs }) {
  const present = Object.values(outputs).flatMap((output) =>
    Object.entries(output.inputs).flatMap(([input, { bytesInOutput }]) => (bytesInOutput > 0 ? [input] : [])),
  );
  const inlined = present.flatMap((input) =>
    (inputs[input]?.imports ?? []).flatMap(({ kind, path: file, external }) =>
      kind === "url-token" && external !== true ? [file] : [],
    ),
  );
  return [...present, ...inlined];
}

/**
 * The folders of the packages to which files belong.
 * @param {Iterable<string>} inputs paths as metafiles have them
 * @returns {readonly string[]} sorted, each once
 */
export function packageFolders(inputs) {
  const folders = [...inputs].flatMap((input) => {
    const match = /^(?:[\w-]+:)?(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input.replaceAll("\\", "/"));
    return match?.[1] === undefined ? [] : [match[1]];
  });
  return [...new Set(folders)].sort();
}

/**
 * The packages of which something ships.
 * @param {string} root
 * @param {Iterable<string>} inputs files that are bundled or shipped
 * @returns {Promise<readonly Notice[]>}
 * @throws Error naming a package that says nothing of its licence
 */
export function shippedPackages(root, inputs) {
  return Promise.all(packageFolders(inputs).map((folder) => noticeOf(path.join(root, folder))));
}

/** @param {readonly Notice[]} packages */
export function thirdPartyNotices(packages) {
  const head =
    "Server Metrics contains the packages below, each under its own licence.\n" +
    "This list is made by the build from what it bundles.\n";
  return [head, ...packages.map(sectionOf)].join(`\n${"=".repeat(80)}\n\n`);
}

/**
 * The list of CycloneDX 1.6. Without a time or a serial number, so that it is the same for the same contents.
 * @param {{ readonly name: string, readonly version: string }} product
 * @param {readonly Notice[]} packages
 */
export function billOfMaterials({ name, version }, packages) {
  const components = new Map(packages.map((one) => [purlOf(one), componentOf(one)]));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type: "application", "bom-ref": `${name}@${version}`, name, version } },
    components: [...components.values()],
  };
}

/** @param {Notice} notice */
function componentOf({ name, version, license }) {
  const [group, ...rest] = name.split("/");
  const purl = purlOf({ name, version });
  return {
    type: "library",
    "bom-ref": purl,
    ...(rest.length === 0 ? { name } : { group, name: rest.join("/") }),
    version,
    licenses: [license === IN_TEXT ? { license: { name: license } } : { expression: license }],
    purl,
  };
}

/** @param {{ readonly name: string, readonly version: string }} of */
function purlOf({ name, version }) {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

/** @param {Notice} notice */
function sectionOf({ name, version, license, texts }) {
  return `${name} ${version}\nLicence: ${license}\n${texts.map((text) => `\n${text.trim()}\n`).join("")}`;
}

/**
 * @param {string} folder
 * @returns {Promise<Notice>}
 */
async function noticeOf(folder) {
  const { name, version, license } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), "utf8")));
  if (license === undefined && texts.length === 0) throw new Error(`${name} ${version} has no licence`);
  return { name, version, license: String(license?.type ?? license ?? IN_TEXT), texts };
}
