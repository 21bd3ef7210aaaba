import { mkdtemp, rename } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Frame } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { runCli } from "../support/cli.js";
import {
  allDrawn,
  openFromExplorer,
  openWorkbench,
  runCommand,
  screenshot,
  until,
  webview,
  type Workbench,
} from "./driver.js";
import { tidied } from "./tidy.js";

const RUNS = ["before_server_metrics.jsonl", "after_server_metrics.parquet"] as const;

/** Two runs of the demo server, opened side by side and linked. */
describe("linked editors", () => {
  let folder: string;
  let workbench: Workbench;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-linked-"));
    for (const [i, seconds] of [60, 40].entries()) {
      const log = path.join(folder, `.scrapes-${i}.jsonl.gz`);
      const out = path.join(folder, `.run-${i}`);
      expect(await runCli(["demo", "--record", log, "--duration", String(seconds)])).toMatchObject({ code: 0 });
      expect(await runCli(["replay", log, "--out", out, "--formats", "jsonl,parquet"])).toMatchObject({ code: 0 });
      await rename(path.join(out, `server_metrics_export${path.extname(RUNS[i]!)}`), path.join(folder, RUNS[i]!));
    }
    workbench = await openWorkbench({
      folder,
      container: "Server Metrics",
      settings: { "workbench.sideBar.location": "left" },
    });
  });
  tidied(() => ({ workbench, folder }));

  /** The view of one of the files. */
  const viewOf = (file: string): Promise<Frame> => webview(workbench.page, `.run-view .file-own[title$="${file}"]`);
  const families = (view: Frame): Promise<(string | null)[]> =>
    view.locator(".chart-card").evaluateAll((cards) => cards.map((card) => card.getAttribute("aria-label")));
  /**
   * The stretch that the strip above the charts says is shown, seconds from the start of profiling; undefined: the
   * whole run.
   */
  const zoomOf = async (view: Frame): Promise<string | undefined> => {
    const zoom = view.locator(".strip-zoom");
    return (await zoom.count()) === 0 ? undefined : ((await zoom.getAttribute("data-zoom")) ?? undefined);
  };

  it("follow each other's zoom and charts once they are linked, and no longer when they are let go", async () => {
    const { page } = workbench;
    await openFromExplorer(page, RUNS[0]);
    await viewOf(RUNS[0]);
    await openFromExplorer(page, RUNS[1]);
    await viewOf(RUNS[1]);
    await runCommand(page, "View: Move Editor into Right Group");
    const right = await viewOf(RUNS[1]);
    await runCommand(page, "View: Close Primary Side Bar");
    const left = await viewOf(RUNS[0]);
    for (const view of [left, right]) {
      await view.getByRole("tab", { name: "Explore" }).click();
      await until(
        () => allDrawn(view.locator(".chart-canvas canvas").first()),
        () => "a chart is not drawn",
      );
    }

    await runCommand(page, "Server Metrics: Link with Other Editors");
    for (const view of [left, right]) await view.getByRole("button", { name: "Unlink from 1 other run" }).waitFor();

    await left.locator(".chart-canvas").first().focus();
    await page.keyboard.press("+");
    await until(
      async () => (await zoomOf(left)) !== undefined,
      () => "the left run is not zoomed",
    );
    await until(
      async () => (await zoomOf(right)) === (await zoomOf(left)),
      () => "the right run's axis does not follow the left one's",
    );

    await right
      .getByRole("button", { name: /^Remove the chart of/ })
      .first()
      .click();
    await until(
      async () => (await families(left)).length === (await families(right)).length,
      () => "the left run keeps a chart that was removed at the right",
    );
    expect(await families(left)).toEqual(await families(right));
    await until(
      () => allDrawn(left.locator(".chart-canvas canvas").first()),
      () => "a chart is not drawn",
    );
    await screenshot(page, "linked");

    await left.getByRole("button", { name: "Unlink from 1 other run" }).click();
    await right.getByRole("button", { name: "Link with the other runs that are open" }).waitFor();
    const stays = await zoomOf(right);
    await left.getByRole("button", { name: "Reset Zoom" }).click();
    await until(
      async () => (await zoomOf(left)) === undefined,
      () => "the zoom is not reset",
    );
    // What the right one would have been told it would have been told by now: a question of its own has been answered
    // since.
    await right.getByRole("tab", { name: "Statistics" }).click();
    await right.locator(".data-table").getByRole("grid").waitFor();
    await right.getByRole("tab", { name: "Explore" }).click();
    expect(await zoomOf(right)).toBe(stays);
    expect(workbench.errors).toEqual([]);
  });
});
