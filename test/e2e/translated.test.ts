import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { strToU8, unzipSync, zipSync } from "fflate";
import { beforeAll, describe, expect, it } from "vitest";
import { extensionPackage, root } from "../workbench/project.mjs";
import {
  answer,
  openWorkbench,
  pick,
  runCommand,
  screenshot,
  statusBarItem,
  waitForPrompt,
  webview,
  type Workbench,
} from "./driver.js";
import { tidied } from "./tidy.js";

/** The package with a translation beside its bundle: every text in brackets. */
async function translated(folder: string, language: string): Promise<string> {
  const bundle = path.join("media/l10n", "bundle.l10n.json");
  const texts = JSON.parse(await readFile(path.join(root, bundle), "utf8")) as Readonly<Record<string, unknown>>;
  const translations = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, `⟦${typeof text === "string" ? text : key}⟧`]),
  );
  const files = unzipSync(await readFile(await extensionPackage()));
  files[`extension/media/l10n/bundle.l10n.${language}.json`] = strToU8(JSON.stringify(translations));
  const file = path.join(folder, "translated.vsix");
  await writeFile(file, zipSync(files, { level: 1 }));
  return file;
}

describe("a window in another language", () => {
  let folder: string;
  let workbench: Workbench;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-translated-"));
    const extension = await translated(folder, "de");
    workbench = await openWorkbench({ folder, container: "Server Metrics", extension, language: "de" });
  });
  tidied(() => ({ workbench, folder }));

  it("has the bundle's texts in questions, in the status bar and in the view", async () => {
    const { page } = workbench;
    await runCommand(page, "Server Metrics: Start Capture");
    await waitForPrompt(page, /⟦[^⟧]*endpoints[^⟧]*⟧/);
    await pick(page, /endpoints/, "demo server");
    await answer(page, /⟦[^⟧]*warm-up[^⟧]*⟧/, "0");
    await answer(page, /⟦[^⟧]*label[^⟧]*⟧/);
    await statusBarItem(page, /⟦.*1\/1 up.*⟧/).waitFor();
    const view = await webview(page, ".run-view");
    await view.getByRole("tab", { name: "⟦Overview⟧", exact: true }).waitFor();
    await screenshot(page, "translated");
    await runCommand(page, "Server Metrics: Stop Capture");
    await statusBarItem(page, /1\/1 up/).waitFor({ state: "detached" });
    expect(workbench.errors).toEqual([]);
  });
});
