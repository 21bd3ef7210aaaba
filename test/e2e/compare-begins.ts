import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Frame } from "playwright-core";
import { expect, it } from "vitest";
import {
  answer,
  chooseFromMenu,
  closeEditor,
  editorTab,
  expand,
  notification,
  openContainer,
  openFromExplorer,
  pick,
  pressInTitle,
  runCommand,
  screenshot,
  stored,
  statusBarItem,
  treeItem,
  until,
  waitForPrompt,
  webview,
  type Workbench,
} from "./driver.js";

/** The workbench of a file's tests, and what they do with comparisons in it. */
export interface Bench {
  readonly workbench: () => Workbench;
  readonly folder: () => string;
  readonly shown: () => Promise<Frame>;
  /** Chooses for several files of the Explorer. */
  readonly compareFiles: (...names: readonly string[]) => Promise<void>;
  readonly rows: (view: Frame) => Promise<string[]>;
  readonly compared: (view: Frame) => Promise<void>;
}

/** Tests of where comparisons begin, and of those that cannot: part of the block that calls it. */
export function begins(bench: Bench): void {
  const { shown, compareFiles, rows, compared } = bench;

  it("of what cannot be compared says why in a sentence", async () => {
    const { page } = bench.workbench();
    await compareFiles("kv1500_server_metrics.parquet", "empty_server_metrics.jsonl");
    const empty = await webview(page, ".comparison-view .placeholder");
    await until(
      async () =>
        /1 of 2 runs could not be read.*Add another run/s.test(
          (await empty.locator(".comparison-view").textContent()) ?? "",
        ),
      () => "nothing says that one could not be read",
    );
    expect(await empty.locator(".comparison-view").textContent()).toContain("empty_server_metrics.jsonl is empty");
    await screenshot(page, "compare-empty");
    // Once it is written, it is read on demand.
    const late = path.join(bench.folder(), "runs", "empty_server_metrics.jsonl");
    await writeFile(late, await readFile(path.join(bench.folder(), "runs", "kv6000_server_metrics.jsonl")));
    await empty.getByRole("button", { name: "Retry empty" }).click();
    await compared(empty);
    expect((await rows(empty))[0]).toContain("better");
    await writeFile(late, "");
    await closeEditor(page, "Compare:");

    await compareFiles("kv1500_server_metrics.parquet", "pears_server_metrics.csv");
    const unrelated = await webview(page, ".comparison-view .placeholder");
    await until(
      async () =>
        /no metric family in common: kv1500 holds vLLM, pears holds pears\S*\..*Choose runs of the same kind/s.test(
          (await unrelated.locator(".comparison-view").textContent()) ?? "",
        ),
      () => "nothing says that the runs are unrelated",
    );
    await screenshot(page, "compare-unrelated");
    await unrelated.getByRole("button", { name: "Remove pears" }).click();
    await unrelated.getByText("One run: add another to compare it with.").waitFor();
    await editorTab(page, "Compare: kv1500").waitFor();
    await screenshot(page, "compare-one");
    await stored(page, "editors", /"title":"Compare: kv1500"/);
    await bench.workbench().reload();
    const alone = await webview(page, ".comparison-view .placeholder");
    await alone.getByText("One run: add another to compare it with.").waitFor();
    await alone.getByRole("group", { name: "Baseline: kv1500" }).waitFor();
    await editorTab(page, "Compare: kv1500").waitFor();
    await closeEditor(page, "Compare:");

    await compareFiles("kv1500_server_metrics.parquet", "kv1500_server_metrics.json");
    await notification(page, "all of one run").waitFor();
  });

  it("begins from an open run, with the runs beside it first", async () => {
    const { page } = bench.workbench();
    await openFromExplorer(page, "runs", "kv6000_server_metrics.jsonl");
    await webview(page, ".run-view");
    await pressInTitle(page, "Compare with…");
    const prompt = await waitForPrompt(page, /Compare kv6000_server_metrics\.jsonl with…/);
    const offered = await prompt.locator(".quick-input-list .monaco-list-row").allTextContents();
    expect(offered[0]).toContain("Beside this run");
    expect(offered.at(-1)).toContain("Browse…");
    await prompt.locator(".monaco-list-row").filter({ hasText: "kv1500" }).first().click();
    await editorTab(page, "Compare: kv1500 ↔ kv6000").waitFor();
    await compared(await shown());
    await closeEditor(page, "Compare: kv1500");
  });

  it("of two rows of the Artifacts tree is the same", async () => {
    const { page } = bench.workbench();
    await openContainer(page, "Server Metrics");
    // Rows of this tree are called by their path.
    const row = (name: string) => treeItem(page, new RegExp(`/${name}\\b`));
    await expand(row("runs"));
    if ((await row("runs").getAttribute("aria-selected")) === "true")
      await row("runs").click({ modifiers: ["Control"] });
    const names = ["kv1500_server_metrics.parquet", "kv6000_server_metrics.jsonl"];
    for (const name of names) await row(name).click({ modifiers: ["Control"] });
    await chooseFromMenu(page, row(names[1]!), "Compare Runs");
    await editorTab(page, "Compare: kv1500 ↔ kv6000").waitFor();
    await compared(await shown());
    await closeEditor(page, "Compare: kv1500");
  });

  it("of runs chosen in the palette is the same", async () => {
    const { page } = bench.workbench();
    await runCommand(page, "Server Metrics: Compare Runs");
    const prompt = await waitForPrompt(page, /Compare Runs/);
    const choose = async (name: string) => prompt.locator(".monaco-list-row").filter({ hasText: name }).first().click();
    await choose("kv1500");
    await prompt.locator("input.input").press("Enter");
    await waitForPrompt(page, /Compare Runs: choose at least two/);
    await choose("kv6000");
    await prompt.locator("input.input").press("Enter");
    await editorTab(page, "Compare: kv1500 ↔ kv6000").waitFor();
    await compared(await shown());
    await closeEditor(page, "Compare: kv1500");
  });

  it("of a capture under way follows it, and holds its artifacts in the end", async () => {
    const { page } = bench.workbench();
    await runCommand(page, "Server Metrics: Start Capture");
    await pick(page, /endpoints/, "demo server");
    await answer(page, /warm-up/);
    await answer(page, /label/, "now");
    await statusBarItem(page, /\d\d+ scrapes · 1\/1 up/).waitFor();
    await pressInTitle(page, "Compare This Capture with…");
    await pick(page, /Compare This Capture with…/, "kv1500");
    await editorTab(page, "Compare: kv1500 ↔ now").waitFor();
    const view = await shown();
    await view.getByRole("group", { name: "Candidate 1: now" }).waitFor();
    // Seconds against minutes: the numbers are there, the verdicts are not.
    await view
      .getByRole("region", { name: "Warnings" })
      .getByText(/now has run for \d+ s of the 240 s of kv1500: too early to tell/)
      .waitFor();
    await view.getByText(/\d+ rows compared, none could be judged/).waitFor();
    await view.getByRole("button", { name: "Show All Rows" }).click();
    await view.getByRole("grid", { name: "Differences" }).waitFor();
    await view.getByRole("button", { name: "cannot tell, " }).waitFor();
    const window = () =>
      view
        .getByRole("table", { name: "Compared runs" })
        .getByRole("row", { name: /^Window/ })
        .textContent();
    const first = await window();
    await until(
      async () => (await window()) !== first,
      () => "the capture does not go on",
    );
    await screenshot(page, "compare-live");
    await runCommand(page, "Server Metrics: Stop Capture");
    await notification(page, /Server metrics written/).waitFor();
    await view.getByRole("button", { name: "Open now" }).click();
    await editorTab(page, "server_metrics_export.parquet").waitFor();
    expect(bench.workbench().errors).toEqual([]);
  });
}
