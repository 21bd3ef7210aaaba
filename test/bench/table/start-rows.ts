import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, packageExtension, packFolder } from "../../workbench/project.mjs";
import { Reported, type BenchRow, type Task } from "./frame.js";

/** What the workbench says itself of the extension that has started with it: loading its code and `activate`. */
const activation: Task = () => Promise.resolve(() => inFolder((folder) => listed(folder, "Server Metrics")));

/** Of the code as it stands. */
async function packaged(): Promise<void> {
  await build();
  await packageExtension();
}

const NOTHING = "Does Nothing";

/** The same of an extension without anything in it, activated by the same event. */
const nothing: Task = () =>
  Promise.resolve(() => inFolder(async (folder) => listed(folder, NOTHING, await emptyExtension(folder))));

async function inFolder(work: (folder: string) => Promise<Reported>): Promise<Reported> {
  const folder = await mkdtemp(join(tmpdir(), "server-metrics-bench-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function listed(folder: string, name: string, extension?: string): Promise<Reported> {
  const { openWorkbench, runCommand } = await import("../../e2e/driver.js");
  const workbench = await openWorkbench({ folder, container: name, ...(extension === undefined ? {} : { extension }) });
  try {
    await runCommand(workbench.page, "Developer: Show Running Extensions");
    // The slowest lead, and only the rows in sight are there.
    await workbench.page.setViewportSize({ width: 1400, height: 6000 });
    const row = workbench.page.locator(".runtime-extensions-editor .monaco-list-row", { hasText: name });
    const time = row.locator(".activation-time", { hasText: /\d\s*ms/ });
    await time.waitFor();
    const seconds = Number(/(\d+)\s*ms/.exec((await time.textContent()) ?? "")?.[1] ?? NaN) / 1000;
    return new Reported(
      { seconds, cpuSeconds: seconds },
      "time as the workbench lists it among its running extensions, of processor time it says nothing; memory is that of driving it",
    );
  } finally {
    await workbench.dispose();
  }
}

/** @returns its .vsix */
async function emptyExtension(folder: string): Promise<string> {
  const source = join(folder, "nothing");
  await mkdir(source);
  const view = { id: "nothing.view", name: NOTHING };
  const manifest = {
    name: "does-nothing",
    displayName: NOTHING,
    publisher: "bench",
    version: "0.0.1",
    engines: { vscode: "^1.95.0" },
    files: ["*.js", "*.svg"],
    main: "./index.js",
    activationEvents: ["onStartupFinished"],
    // By its container the workbench is known to have read it.
    contributes: {
      viewsContainers: { activitybar: [{ id: "nothing", title: NOTHING, icon: "icon.svg" }] },
      views: { nothing: [view] },
    },
  };
  await writeFile(join(source, "package.json"), JSON.stringify(manifest));
  await writeFile(join(source, "README.md"), "Nothing.\n");
  await writeFile(join(source, "icon.svg"), '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"/>');
  await writeFile(join(source, "index.js"), "exports.activate = () => undefined;\n");
  const file = join(folder, "nothing.vsix");
  await packFolder(source, file);
  return file;
}

export const START_ROWS: readonly BenchRow[] = [
  {
    name: "the extension activated as a workbench starts",
    work: () => "a new profile and an empty folder",
    inputs: packaged,
    cold: true,
    goal: { seconds: 0.05 },
    ours: activation,
    anchor: { name: "an extension that does nothing", task: nothing },
  },
];
