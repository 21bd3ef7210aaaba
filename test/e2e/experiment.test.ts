import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Frame } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import {
  answer,
  openFile,
  openWorkbench,
  runCommand,
  screenshot,
  THEMES,
  until,
  webview,
  type Theme,
  type Workbench,
} from "./driver.js";
import { leftRunning } from "../support/left-running.js";
import { tidied } from "./tidy.js";

/** The example takes a minute and a half, on a busy machine more. */
const EXAMPLE_MS = 420_000;

describe("an experiment", () => {
  let folder: string;
  let workbench: Workbench;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-experiment-"));
    workbench = await openWorkbench({ folder, container: "Server Metrics" });
  });
  tidied(() => ({ workbench, folder }));

  it(
    "goes from the palette to its verdict, and on after it was stopped",
    async () => {
      const { page } = workbench;
      await runCommand(page, "New Experiment…");
      await answer(page, /two simulated servers/);
      const lens = page.locator(".codelens-decoration", { hasText: "Run" });
      await lens.first().waitFor();
      expect(await lens.first().textContent()).toMatch(/Run.*Plan.*Show/);
      await runCommand(page, "Run Experiment");
      const dialog = page.locator(".monaco-dialog-box");
      await dialog.filter({ hasText: "Run the commands of demo.experiment.yaml" }).waitFor();
      expect(await dialog.textContent()).toMatch(/demo --port .*--kv-blocks 250/);
      await screenshot(page, "experiment-question");
      await dialog.locator(".monaco-button", { hasText: /^Run$/ }).click();
      let view = await webview(page, "main.experiment h1");
      await button(view, "Stop After This Run").waitFor();
      await button(view, "Stop After This Run").click();
      await view.getByText("It stops after this run").waitFor();
      await button(view, "Continue").waitFor();
      expect(await view.locator("button.block-run").count()).toBe(1);
      // The commands were agreed to.
      await button(view, "Continue").click();
      const left = () => leftRunning(folder);
      await until(
        () => left().length > 0,
        () => "the experiment has not gone on",
      );
      // The window is closed in the middle of a run: nothing of it is left running, and that run is made anew.
      await workbench.reload();
      await until(
        () => left().length === 0,
        () => `it has left running: ${left().join(", ")}`,
      );
      await openFile(page, "demo.experiment.yaml");
      await runCommand(page, "Run Experiment");
      view = await webview(page, "main.experiment h1");
      const answers = view.locator(".experiment-answers");
      let said = "";
      await until(
        async () => {
          said = (await answers.textContent()) ?? "";
          return /small-cache is worse than large-cache under steady: request_latency avg is .* higher/.test(said);
        },
        () => `the experiment has not found what it simulates: ${said}`,
        EXAMPLE_MS,
      );
      await view.getByText("The experiment is over: it is decided.").waitFor();
      expect(await view.locator(".plot-decided").count()).toBe(1);
      expect(await view.locator(".experiment-cells").getByRole("cell", { name: "worse", exact: true }).count()).toBe(1);
      for (const theme of Object.keys(THEMES) as Theme[]) {
        if (theme !== "dark") await workbench.setTheme(theme);
        await screenshot(page, `experiment-${theme}`);
      }
      expect(workbench.errors).toEqual([]);
    },
    EXAMPLE_MS + 180_000,
  );
});

const button = (view: Frame, name: string) => view.locator("vscode-button", { hasText: name });
