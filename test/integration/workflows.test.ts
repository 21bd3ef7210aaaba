import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { ROOT } from "../support/repository-files.js";

/*
 * The steps of the workflows, run by the shell that GitHub's runner uses, as far as they go here: what reaches a
 * registry or GitHub is written down instead. The action `gate` has tests of its own.
 */

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
}

const MADE = ["server-metrics-1.0.0.vsix", "server-metrics-1.0.0.tgz", "server-metrics-1.0.0.cdx.json"];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "server-metrics-workflows-"));
  await mkdir(path.join(folder, "bin"));
  for (const name of ["npm", "npx", "gh"]) {
    const file = path.join(folder, "bin", name);
    await writeFile(file, `#!/bin/sh\necho ${name} "$@" >> '${path.join(folder, "log")}'\n`);
    await chmod(file, 0o755);
  }
  for (const name of MADE) await writeFile(path.join(folder, name), "");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function stepsOf(name: string): Promise<readonly string[]> {
  const workflow = parse(await readFile(path.join(ROOT, ".github/workflows", name), "utf8")) as Workflow;
  return Object.values(workflow.jobs).flatMap(({ steps }) => steps.flatMap(({ run = [] }) => run));
}

/** Runs steps one after another until one fails. @returns what they called, and the exit code of the last */
async function ran(steps: readonly string[], version: string, tag: string) {
  await writeFile(path.join(folder, "package.json"), JSON.stringify({ version }));
  await writeFile(path.join(folder, "log"), "");
  const env = {
    ...process.env,
    PATH: [path.join(folder, "bin"), process.env["PATH"]].join(path.delimiter),
    GITHUB_REF_NAME: tag,
  };
  let code: unknown = 0;
  for (const step of steps) {
    const shell = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", step], { cwd: folder, env });
    [code] = (await once(shell, "close")) as [unknown];
    if (code !== 0) break;
  }
  return { code, called: (await readFile(path.join(folder, "log"), "utf8")).trim().split("\n") };
}

it("call scripts that there are", async () => {
  const { scripts } = JSON.parse(await readFile(path.join(ROOT, "package.json"), "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const steps = (await Promise.all((await readdir(path.join(ROOT, ".github/workflows"))).map(stepsOf))).flat();
  const called = steps.flatMap((step) => /^npm (?:run )?(?!ci\b)(\w+)$/.exec(step)?.[1] ?? []);
  expect(new Set(called)).toEqual(new Set(["test", "package"]));
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(called));
});

it.each([
  ["1.0.0", "latest"],
  ["1.1.0", "next"],
])("the release of %s tests, packs and publishes what was packed, as %s", async (version, channel) => {
  expect(await ran(await stepsOf("release.yml"), version, `v${version}`)).toEqual({
    code: 0,
    called: [
      "npm ci",
      "npm test",
      "npm run package",
      `npx vsce publish --packagePath ${MADE[0]}`,
      `npm publish ./${MADE[1]} --provenance --access public --tag ${channel}`,
      `gh release create v${version} ${MADE.join(" ")} --generate-notes`,
    ],
  });
});

it("a tag that is not the version releases nothing", async () => {
  expect(await ran(await stepsOf("release.yml"), "1.0.0", "v1.0.1")).toEqual({ code: 1, called: [""] });
});
