import path from "node:path";
import type { Frame } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { largeArtifacts } from "../support/cached-artifacts.js";
import {
  allDrawn,
  closeEditor,
  explorerItem,
  notification,
  openContainer,
  openItem,
  openWorkbench,
  screenshot,
  until,
  webview,
  type Workbench,
} from "./driver.js";
import { tidied } from "./tidy.js";

/** Files far larger than what is shown of them. */
describe("a large artifact", () => {
  let workbench: Workbench;
  let names: { readonly parquet: string; readonly jsonl: string; readonly small: string };

  beforeAll(async () => {
    const { folder, parquet, jsonl, small } = await largeArtifacts();
    names = { parquet: path.basename(parquet), jsonl: path.basename(jsonl), small: path.basename(small) };
    workbench = await openWorkbench({ folder, container: "Server Metrics" });
    await openContainer(workbench.page, "Explorer");
    // The first two webviews of a fresh workbench take seconds longer, whatever they show.
    for (let i = 0; i < 3; i++) {
      await open(names.small);
      await closeEditor(workbench.page, names.small);
    }
  }, 400_000);
  tidied(() => ({ workbench }));

  /** Header with what the endpoint has, tiles, and the first of the charts. */
  async function usable(): Promise<Frame> {
    const view = await webview(workbench.page, ".run-view");
    await view.locator(".run-state").waitFor();
    await until(
      async () => /\d+ families/.test((await view.locator(".endpoint").first().textContent()) ?? ""),
      () => "the header tells of no families",
    );
    // Numbers, or none yet.
    await until(
      async () => /^(–|[\d.,]+)/.test((await view.locator(".tile-number").first().textContent()) ?? ""),
      () => "the first tile shows neither a number nor that there is none",
    );
    await until(
      () => allDrawn(view.locator(".chart-canvas canvas").first()),
      () => "the first chart is not drawn",
    );
    return view;
  }

  /** Says how long it took: within two seconds on a machine that has nothing else to do. No test may depend on it. */
  async function open(name: string): Promise<Frame> {
    await explorerItem(workbench.page, name).waitFor();
    const start = performance.now();
    await openItem(workbench.page, name);
    const view = await usable();
    process.stdout.write(`${name}: usable ${Math.round(performance.now() - start)} ms after the double click\n`);
    return view;
  }

  it("of ten million rows of Parquet is shown from a part of it, and every metric of it when it is asked for", async () => {
    const { page } = workbench;
    const view = await open(names.parquet);
    await view.locator(".run-state", { hasText: "Saved run" }).waitFor();
    await screenshot(page, "big-parquet-first");
    for (const family of ["vllm:num_requests_running", "vllm:generation_tokens", "vllm:time_to_first_token_seconds"]) {
      const tile = view.locator(`.tile[title^="${family}"]`).first();
      await until(
        async () => /^[\d.,]+/.test((await tile.locator(".tile-number").textContent()) ?? ""),
        () => `the tile of ${family} shows no number`,
      );
    }
    await until(
      () => allDrawn(view.locator(".chart-canvas canvas")),
      () => "the charts are not all drawn",
    );
    await screenshot(page, "big-parquet");
    await closeEditor(page, names.parquet);
  });

  it("of 300 MB of JSONL is shown while it is read, and grows until it is read", async () => {
    const { page } = workbench;
    const view = await open(names.jsonl);
    await screenshot(page, "big-jsonl-first");
    await view.locator(".run-state", { hasText: "Saved run" }).waitFor({ timeout: 120_000 });
    await until(
      () => allDrawn(view.locator(".chart-canvas canvas")),
      () => "the charts are not all drawn",
    );
    await notification(page, `Opening ${names.jsonl}`).waitFor({ state: "detached" });
    await screenshot(page, "big-jsonl");
    await closeEditor(page, names.jsonl);
  });

  it("has logged no error in its views", () => {
    expect(workbench.errors).toEqual([]);
  });
});
