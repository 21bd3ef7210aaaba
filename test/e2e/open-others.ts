import { appendFile, copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Frame } from "playwright-core";
import { expect, it } from "vitest";
import {
  allDrawn,
  chooseFromMenu,
  closeEditor,
  editorTab,
  notification,
  openFromExplorer,
  pick,
  pressInNotification,
  runCommand,
  screenshot,
  treeItem,
  until,
  webview,
  type Workbench,
} from "./driver.js";

/** The workbench of a file's tests. */
interface Bench {
  readonly workbench: () => Workbench;
  readonly folder: () => string;
  readonly shown: () => Promise<Frame>;
}

/** What the run of the file that grows ends with: a few scrapes, then the last one and the event that ends it. */
let ending: string[];
let followed: string[];

/** Writes those files into the folder `broken` of a workspace, from a run's JSONL and the log of its scrapes. */
export async function writeOtherFiles(folder: string, jsonl: string, log: string): Promise<void> {
  const scrapes = await readFile(log);

  const broken = path.join(folder, "broken");
  await mkdir(broken);
  const whole = await readFile(jsonl);
  await writeFile(path.join(broken, "truncated_server_metrics.jsonl"), whole.subarray(0, whole.length - 1000));
  await writeFile(path.join(broken, "empty_server_metrics.jsonl"), "");
  await writeFile(
    path.join(broken, "garbage_server_metrics.jsonl"),
    Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 131) % 256)),
  );
  // Without its last scrape and the event that ends the run.
  const lines = whole.toString().trimEnd().split("\n");
  ending = lines.splice(-2);
  followed = lines.splice(-3);
  await writeFile(path.join(broken, "followed_server_metrics.jsonl"), `${lines.join("\n")}\n`);
  lines.push(...followed);
  await writeFile(path.join(broken, "growing_server_metrics.jsonl"), `${lines.join("\n")}\n`);
  await copyFile(jsonl, path.join(broken, "colleague.jsonl"));
  await writeFile(
    path.join(broken, "snapshot.prom"),
    '# TYPE queue_seconds histogram\nqueue_seconds_bucket{le="1"} 4\nqueue_seconds_bucket{le="+Inf"} 8\nqueue_seconds_sum 9\nqueue_seconds_count 8\n',
  );
  // Gzip members may follow each other; this many take a while.
  await writeFile(path.join(broken, "slow.jsonl.gz"), Buffer.concat(Array.from({ length: 100 }, () => scrapes)));
}

/** Tests of files that are slow, broken, of another name, or change: part of the block that calls it. */
export function otherFiles(bench: Bench): void {
  const { shown } = bench;
  /** What a view says in place of a run. */
  const refused = async (): Promise<string> => {
    const frame = await webview(bench.workbench().page, ".placeholder[role=alert]");
    return (await frame.locator(".placeholder[role=alert]").textContent()) ?? "";
  };
  const scrapes = async (frame: Frame): Promise<number> =>
    Number(
      ((await frame.locator(".figure", { hasText: "scrapes" }).locator("dd").textContent()) ?? "").replaceAll(",", ""),
    );
  const hasScrapes = (count: number): Promise<void> =>
    until(
      async () => (await scrapes(await shown()).catch(() => 0)) === count,
      () => `there are not ${count} scrapes`,
    );
  const problems = async (frame: Frame): Promise<string> => (await frame.locator(".run-header").textContent()) ?? "";

  it("that takes long can be given up, and asked for again", async () => {
    const { page } = bench.workbench();
    const name = "slow.jsonl.gz";
    await openFromExplorer(page, "broken", "colleague.jsonl");
    // Its editor is there to stay (no preview, in italics): opened later, it would take the place of the one that
    // follows.
    await page.locator(".tabs-container .tab:not(:has(.italic))").filter({ hasText: "colleague.jsonl" }).waitFor();
    await page.locator(".monaco-editor .view-line").first().waitFor();
    await chooseFromMenu(page, treeItem(page, name), "Open as Run View");
    await (await webview(page, ".placeholder[role=status]")).getByText("Loading run").waitFor();
    await pressInNotification(page, `Opening ${name}`, "Cancel");
    expect(await refused()).toContain(`reading ${name} was cancelled`);
    await notification(page, `Opening ${name}`).waitFor({ state: "detached" });
    await screenshot(page, "opened-cancelled");

    await (await webview(page, ".placeholder[role=alert]")).locator("vscode-button", { hasText: "Retry" }).click();
    await notification(page, `Opening ${name}`).waitFor();
    await (await webview(page, ".placeholder[role=status]")).getByText("Loading run").waitFor();
    await screenshot(page, "opened-loading");
    await closeEditor(page, name);
    await notification(page, `Opening ${name}`).waitFor({ state: "detached" });
    await closeEditor(page, "colleague.jsonl");
  });

  it("shows what there is of a truncated file, and says what is missing", async () => {
    const { page } = bench.workbench();
    await openFromExplorer(page, "broken", "truncated_server_metrics.jsonl");
    const view = await shown();
    // The run has kept the tab that its other file was closed with.
    await view.getByRole("tab", { name: "Overview" }).click();
    await until(
      () => allDrawn(view.locator(".chart-canvas canvas")),
      () => "the charts are not all drawn",
    );
    expect(await problems(view)).toMatch(/torn end|truncated|cut off/i);
    await screenshot(page, "opened-truncated");
    await closeEditor(page, "truncated_server_metrics.jsonl");
  });

  it.each([
    ["empty_server_metrics.jsonl", /empty|contains no scrape/],
    ["garbage_server_metrics.jsonl", /binary/],
  ])("says of %s why there is no run in it", async (name, reason) => {
    const { page } = bench.workbench();
    await openFromExplorer(page, "broken", name);
    const said = await refused();
    expect(said).toContain(name);
    expect(said).toMatch(reason);
    await screenshot(page, `opened-${name.split("_")[0]!}`);
    await closeEditor(page, name);
  });

  it("of any other name opens by choice", async () => {
    const { page } = bench.workbench();
    await openFromExplorer(page, "broken", "colleague.jsonl");
    await page.locator(".monaco-editor .view-line").first().waitFor();
    await runCommand(page, "View: Reopen Editor With...");
    await pick(page, /editor/i, "Server Metrics Run View (Any File)");
    await (await shown()).locator(".run-state", { hasText: "Saved run" }).waitFor();
    await closeEditor(page, "colleague.jsonl");
  });

  it("that grows is followed when the user says so, until the user or the file ends that", async () => {
    const { page } = bench.workbench();
    const name = "followed_server_metrics.jsonl";
    const file = path.join(bench.folder(), "broken", name);
    const whole = await readFile(file);
    await openFromExplorer(page, "broken", name);
    const view = await shown();
    await view.locator(".run-state", { hasText: "Saved run" }).waitFor();
    const before = await scrapes(view);
    await appendFile(file, `${followed[0]!}\n`);
    await notification(page, /has changed on disk.*it has grown/).waitFor();
    await screenshot(page, "opened-grown");
    await pressInNotification(page, /has changed on disk.*it has grown/, "Follow");
    await view.locator(".run-state", { hasText: "Following" }).waitFor();
    await hasScrapes(before + 1);
    await appendFile(file, `${followed[1]!}\n${followed[2]!.slice(0, 100)}`);
    await hasScrapes(before + 2);
    await appendFile(file, `${followed[2]!.slice(100)}\n`);
    await hasScrapes(before + 3);
    await view.getByRole("tab", { name: "Overview" }).click();
    await until(
      () => allDrawn(view.locator(".chart-canvas canvas")),
      () => "the charts are not all drawn",
    );
    await screenshot(page, "opened-following");
    await view.locator("vscode-button", { hasText: "Stop Following" }).click();
    await view.locator(".run-state", { hasText: "Saved run" }).waitFor();

    await runCommand(page, "Server Metrics: Follow File as It Grows");
    await view.locator(".run-state", { hasText: "Following" }).waitFor();
    await writeFile(file, whole);
    await notification(page, /no longer followed.*shorter/).waitFor();
    await view.locator(".run-state", { hasText: "Saved run" }).waitFor();
    expect(await scrapes(view)).toBe(before + 3);
    await screenshot(page, "opened-follow-ended");
    await pressInNotification(page, /no longer followed.*shorter/, "Reload");
    await hasScrapes(before);
    await closeEditor(page, name);
  });

  it("that changes on disk is read again when the user says so", async () => {
    const { page } = bench.workbench();
    const name = "growing_server_metrics.jsonl";
    const file = path.join(bench.folder(), "broken", name);
    await openFromExplorer(page, "broken", name);
    const view = await shown();
    await view.locator(".run-state", { hasText: "Saved run" }).waitFor();
    const before = await scrapes(view);
    await appendFile(file, `${ending[0]!}\n`);
    await notification(page, /has changed on disk/).waitFor();
    await appendFile(file, `${ending[1]!}\n`);
    expect(
      await page.locator(".notifications-toasts .notification-toast", { hasText: "has changed on disk" }).count(),
    ).toBe(1);
    await pressInNotification(page, /has changed on disk/, "Reload");
    await hasScrapes(before + 1);

    await rm(file);
    await notification(page, /has been deleted or moved/).waitFor();
    await shown();
    await screenshot(page, "opened-deleted");
    expect(await editorTab(page, name).count()).toBe(1);
  });
}
