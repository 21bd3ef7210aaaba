import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { unzipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundles } from "../../esbuild.mjs";
import { packageFolders, shippedInputs } from "../../notices.mjs";
import { extensionPackage, isPreRelease, npm, packagedReadme, packCommandLine, root } from "../workbench/project.mjs";

const LIMIT_BYTES = 6_900_000;

/** Those of code.visualstudio.com/api/references/extension-manifest that may fit. */
const MARKETPLACE_CATEGORIES = ["Data Science", "Debuggers", "Machine Learning", "Other", "Testing", "Visualization"];

/** What runs, and what it loads at run time. */
const NEEDED = [
  "dist/extension.js",
  "dist/run-files.js",
  "dist/engine.js",
  "dist/comparison.js",
  "dist/agents.js",
  "dist/export.js",
  "dist/demo.js",
  "dist/cli.js",
  "dist/kubernetes.js",
  "dist/top.mjs",
  "dist/parquet_wasm_bg.wasm",
  "dist/web/extension.js",
  "dist/web/engine.js",
  "dist/webview.js",
  "dist/webview.css",
  "dist/report.css",
  "dist/THIRD_PARTY_NOTICES.txt",
  "dist/bom.cdx.json",
];
/** What vsce adds or renames. */
const DOCUMENTS = ["package.json", "package.nls.json", "readme.md", "changelog.md", "LICENSE.txt"];

describe("the extension's package", () => {
  let file: string;
  let entries: string[];

  beforeAll(async () => {
    file = await extensionPackage();
    const bytes = await readFile(file).catch(() => {
      throw new Error(`${path.basename(file)} is missing: run \`npm run package\` first`);
    });
    entries = [];
    unzipSync(bytes, { filter: ({ name }) => (entries.push(name), false) });
  });

  it("holds all that runs, and its documents", () => {
    expect(entries).toEqual(expect.arrayContaining([...NEEDED, ...DOCUMENTS].map((name) => `extension/${name}`)));
  });

  it("holds no sources, tests, maps or modules", () => {
    const allowed =
      /^(\[Content_Types\]\.xml|extension\.vsixmanifest|extension\/(dist\/([\w.-]+\.(m?js|css|wasm)|web\/\w+\.js|THIRD_PARTY_NOTICES\.txt|bom\.cdx\.json)|media\/([\w./-]+\.(svg|png|md)|[\w-]+\.(schema|language|tmLanguage)\.json|l10n\/bundle\.l10n\.json)|package(\.nls)?\.json|docs\/([\w-]+\.md|screenshots\/[\w-]+\.png)|readme\.md|changelog\.md|LICENSE\.txt))$/;
    expect(entries.filter((name) => !allowed.test(name) || /\.test\.|\.map$/.test(name))).toEqual([]);
  });

  it("has of the media what the extension shows", () => {
    expect(entries.filter((name) => name.startsWith("extension/media/")).sort()).toEqual(
      [
        "activity-bar.svg",
        "check.schema.json",
        "experiment.schema.json",
        "icon.png",
        "l10n/bundle.l10n.json",
        "prometheus-text-dark.svg",
        "prometheus-text-light.svg",
        "prometheus-text.language.json",
        "prometheus-text.tmLanguage.json",
        "skills/server-metrics/SKILL.md",
        "walkthrough/capture.md",
        "walkthrough/experiment.md",
        "walkthrough/findings.md",
        "walkthrough/keep.md",
        "walkthrough/watch.md",
      ].map((name) => `extension/media/${name}`),
    );
  });

  it("has a page of its own without broken pictures and links, and the documentation beside it", async () => {
    const bytes = await readFile(file);
    const page = new TextDecoder().decode(
      unzipSync(bytes, { filter: ({ name }) => name === "extension/readme.md" })["extension/readme.md"],
    );
    expect(page).toContain("# Server Metrics");
    expect(page.match(/\]\((?!https:)[^)]*\)/g)).toBeNull();
    expect(page).toContain("[AIPerf](https://");
    const pages = (await readdir(path.join(root, "docs"), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => `extension/${path.relative(root, path.join(parentPath, name))}`);
    expect(entries).toEqual(expect.arrayContaining(pages));
  });

  it("has the pictures of the documentation where the preview shows them: in the folder of the page", async () => {
    const pages = unzipSync(await readFile(file), { filter: ({ name }) => /^extension\/docs\/[^/]+\.md$/.test(name) });
    const pictures = Object.values(pages).flatMap((bytes) =>
      [...new TextDecoder().decode(bytes).matchAll(/\]\(([^)]+\.png)\)/g)].map(([, to]) => `extension/docs/${to}`),
    );
    expect(pictures.length).toBeGreaterThan(4);
    expect(entries).toEqual(expect.arrayContaining(pictures));
  });

  it("lists exactly the packages of which something ships, with their licences", async () => {
    const bytes = await readFile(file);
    const textOf = (name: string) => {
      const path = `extension/dist/${name}`;
      return new TextDecoder().decode(unzipSync(bytes, { filter: (entry) => entry.name === path })[path]);
    };
    const notices = textOf("THIRD_PARTY_NOTICES.txt");
    const inputs: string[] = [];
    for (const options of Object.values(bundles(true))) {
      const { metafile } = await build({ ...options, write: false, metafile: true, logLevel: "silent" });
      inputs.push(...shippedInputs(metafile));
    }
    const folders = packageFolders([...inputs, "node_modules/parquet-wasm/esm/parquet_wasm_bg.wasm"]);
    const nameOf = (folder: string) => folder.replace(/^.*node_modules\//, "");
    const names = folders.map(nameOf).sort();
    const listed = [...notices.matchAll(/^={80}\n\n(\S+) \d+\.\d+\S*\nLicence: \S/gm)].map(([, name]) => name);
    expect(listed.sort()).toEqual(names);
    expect(names).toEqual(expect.arrayContaining(["preact", "undici", "hyparquet", "parquet-wasm", "commander"]));
    expect(notices).toContain("Permission is hereby granted");

    // The same list for tools, with the versions that are installed, inside and beside the package.
    const list = textOf("bom.cdx.json");
    expect(await readFile(file.replace(/vsix$/, "cdx.json"), "utf8")).toBe(list);
    const { components } = JSON.parse(list) as { components: { purl: string; licenses: unknown[] }[] };
    const installed = await Promise.all(
      folders.map(async (folder) => {
        const text = await readFile(path.join(root, folder, "package.json"), "utf8");
        const { name, version } = JSON.parse(text) as { name: string; version: string };
        return `pkg:npm/${name.replace("@", "%40")}@${version}`;
      }),
    );
    expect(components.map(({ purl }) => purl).sort()).toEqual([...new Set(installed)].sort());
    expect(components.every(({ licenses }) => licenses.length > 0)).toBe(true);

    // What ships is a dependency, so that an audit without the others covers it.
    const manifest = await readFile(path.join(root, "package.json"), "utf8");
    const { dependencies, devDependencies } = JSON.parse(manifest) as Record<string, Record<string, string>>;
    const own = new Set(folders.filter((folder) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(folder)).map(nameOf));
    expect(Object.keys(devDependencies ?? {}).filter((name) => own.has(name))).toEqual([]);
    expect(Object.keys(dependencies ?? {}).filter((name) => !own.has(name))).toEqual([]);

    // Told by what ships itself: icons are in the style; of these two modules everything is dropped.
    expect(textOf("webview.css")).toContain("data:image/svg+xml");
    expect(names).toContain("@vscode/codicons");
    expect(textOf("webview.js")).not.toContain("details>summary:first-of-type");
    expect(names).not.toContain("tabbable");
    expect(textOf("kubernetes.js")).not.toContain("ERR_JWE_DECRYPTION_FAILED");
    expect(names).not.toContain("jose");
  });

  it("has what is large and seldom used in bundles of its own", async () => {
    const { cli, extension } = bundles(true);
    const inputsOf = async (options: typeof cli) =>
      shippedInputs((await build({ ...options, write: false, metafile: true, logLevel: "silent" })).metafile);
    const shipped = { cli: await inputsOf(cli), extension: await inputsOf(extension) };
    expect(shipped.cli.filter((input) => /@kubernetes\/|\/ink\/|\/react/.test(input))).toEqual([]);
    expect(shipped.cli.length).toBeGreaterThan(100);
    expect(shipped.extension.filter((input) => input.includes("hyparquet"))).toEqual([]);
  });

  it("keeps the rules of the marketplace", async () => {
    const manifest = JSON.parse(await readFile(path.join(root, "package.json"), "utf8")) as {
      readonly version: string;
      readonly icon: string;
      readonly categories: readonly string[];
      readonly keywords: readonly string[];
    };
    const icon = await readFile(path.join(root, manifest.icon));
    expect(icon.subarray(1, 4).toString()).toBe("PNG");
    expect(icon.readUInt32BE(16)).toBeGreaterThanOrEqual(128);
    expect(icon.readUInt32BE(20)).toBe(icon.readUInt32BE(16));
    expect(manifest.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(manifest.keywords.length).toBeLessThanOrEqual(30);
    expect(new Set(MARKETPLACE_CATEGORIES)).toEqual(new Set([...MARKETPLACE_CATEGORIES, ...manifest.categories]));
    const bytes = await readFile(file);
    const name = "extension.vsixmanifest";
    const packed = new TextDecoder().decode(unzipSync(bytes, { filter: (entry) => entry.name === name })[name]);
    expect(packed.includes("Microsoft.VisualStudio.Code.PreRelease")).toBe(isPreRelease(manifest.version));
  });

  it("has pictures and links on its page that lead to the release, where that is known", () => {
    const page = packagedReadme("![A](media/a.png)\n\n[B](docs/b.md), [C](https://c.example)\n", {
      GITHUB_REPOSITORY: "owner/name",
      GITHUB_REF_NAME: "v1.0.0",
    });
    expect(page).toBe(
      "![A](https://raw.githubusercontent.com/owner/name/v1.0.0/media/a.png)\n\n" +
        "[B](https://github.com/owner/name/blob/v1.0.0/docs/b.md), [C](https://c.example)\n",
    );
    expect(isPreRelease("1.1.4")).toBe(true);
    expect(isPreRelease("1.2.0")).toBe(false);
  });

  it("is small", async () => {
    expect((await stat(file)).size).toBeLessThanOrEqual(LIMIT_BYTES);
  });
});

describe("the tarball of npm pack", () => {
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), "server-metrics-pack-"));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it("installs offline, without dependencies, as a working command line", async () => {
    await packCommandLine(directory);
    const [tarball = ""] = (await readdir(directory)).filter((name) => name.endsWith(".tgz"));
    const empty = await mkdtemp(path.join(directory, "empty-"));
    const cache = path.join(directory, "npx-cache");
    const npx = ["--yes", "--offline", "--silent", "--cache", cache, `--package=${path.join(directory, tarball)}`];
    const answered = await promisify(execFile)("npx", [...npx, "server-metrics", "capture", "--help"], { cwd: empty });
    expect(answered.stdout).toContain("Usage: server-metrics capture");
    expect(await readdir(empty)).toEqual([]);
    await writeFile(path.join(directory, "package.json"), '{ "private": true }');
    await npm(["install", "--offline", "--silent", "--cache", path.join(directory, "cache"), `./${tarball}`], {
      cwd: directory,
    });
    expect((await readdir(path.join(directory, "node_modules"))).filter((name) => !name.startsWith("."))).toEqual([
      "server-metrics",
    ]);

    const command = path.join(directory, "node_modules/.bin/server-metrics");
    const { version } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8")) as { version: string };
    const run = promisify(execFile);
    expect((await run(command, ["--version"], { cwd: directory })).stdout.trim()).toBe(version);
    const { stdout } = await run(command, ["--help"], { cwd: directory });
    for (const name of ["capture", "replay", "parse", "snapshot", "demo"]) expect(stdout).toContain(name);

    // What the registry asks for: nothing of the extension, and nothing that keeps it from being published.
    const installed = JSON.parse(
      await readFile(path.join(directory, "node_modules/server-metrics/package.json"), "utf8"),
    ) as Record<string, unknown>;
    expect(Object.keys(installed).filter((key) => key !== "repository")).toEqual([
      "name",
      "version",
      "description",
      "license",
      "keywords",
      "engines",
      "bin",
      "files",
    ]);
  });
});
