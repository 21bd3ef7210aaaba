import { access, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { extensionPackage } from "../../workbench/project.mjs";
import { Reported, type BenchRow, type Task } from "./frame.js";

/** What the workbench says itself of the extension that has started with it: loading its code and `activate`. */
const activation: Task = () =>
  Promise.resolve(async () => {
    const { openWorkbench, runCommand } = await import("../../e2e/driver.js");
    await access(await extensionPackage()).catch(() => {
      throw new Error("There is no package to install. Run npm run package first.");
    });
    const folder = await mkdtemp(join(tmpdir(), "server-metrics-bench-"));
    const workbench = await openWorkbench({ folder, container: "Server Metrics" });
    try {
      await runCommand(workbench.page, "Developer: Show Running Extensions");
      const row = workbench.page.locator(".runtime-extensions-editor .monaco-list-row", { hasText: "Server Metrics" });
      const time = row.locator(".activation-time", { hasText: /\d\s*ms/ });
      await time.waitFor();
      const milliseconds = Number(/(\d+)\s*ms/.exec((await time.textContent()) ?? "")?.[1] ?? NaN);
      return new Reported(
        { seconds: milliseconds / 1000 },
        "as the workbench lists it among its running extensions; processor time and memory are those of driving it",
      );
    } finally {
      await workbench.dispose();
      await rm(folder, { recursive: true });
    }
  });

export const START_ROWS: readonly BenchRow[] = [
  {
    name: "the extension activated as a workbench starts",
    work: () => "a new profile and an empty folder",
    cold: true,
    goal: { seconds: 0.05 },
    ours: activation,
  },
];
