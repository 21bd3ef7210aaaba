import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { serve, type TestServer } from "../support/faulty-server.js";
import {
  answer,
  closeEditor,
  notification,
  openWorkbench,
  pressInNotification,
  runCommand,
  screenshot,
  until,
  webview,
  type Workbench,
} from "./driver.js";
import { tidied } from "./tidy.js";

const RUNNING = "vllm:num_requests_running";

describe("a capture of endpoints that are not all there", () => {
  let folder: string;
  let server: TestServer;
  let workbench: Workbench;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-missing-"));
    let scrapes = 0;
    server = await serve((request, response) => {
      if (request.url !== "/metrics") response.writeHead(404, { "content-type": "text/plain" }).end("not here");
      else
        response
          .setHeader("content-type", "text/plain; version=0.0.4")
          .end(`# TYPE ${RUNNING} gauge\n${RUNNING} ${(scrapes++ % 5) + 1}\n`);
    });
    const gone = await serve((_, response) => response.end());
    await gone.close();
    workbench = await openWorkbench({
      folder,
      container: "Server Metrics",
      settings: {
        "serverMetrics.endpoints": [`${server.origin}/metrics`, `${server.origin}/other`, `${gone.origin}/metrics`].map(
          (url) => ({ url }),
        ),
      },
    });
  });
  tidied(() => ({ workbench, folder }));

  it("says how many have metrics, and shows the page with a line and its actions for each", async () => {
    const { page } = workbench;
    await runCommand(page, "Server Metrics: Start Capture");
    await answer(page, /warm-up/);
    await answer(page, /label/, "missing");
    const message = notification(page, "1 of 3 endpoints has metrics.");
    await message.waitFor();
    expect(await message.textContent()).not.toMatch(/refused|404/);
    await screenshot(page, "missing-notification");
    await closeEditor(page, "Server Metrics: missing");
    await pressInNotification(page, "1 of 3 endpoints has metrics.", "Show Endpoints");
    const view = await webview(page, ".run-view");
    for (const reason of [/Connection refused/, /HTTP 404/])
      await view.locator(".endpoint", { hasText: reason }).getByRole("button", { name: "Edit URL…" }).waitFor();
  });

  it("marks tile, chart and heading of a server that goes, and nothing of it is now", async () => {
    const { page } = workbench;
    const view = await webview(page, ".run-view");
    const tile = view.locator(`.tile[title^="${RUNNING}"]`);
    await tile.locator(".tile-now").waitFor();
    await server.close();
    const said = "does not answer";
    await tile.getByText(said, { exact: true }).waitFor();
    await view.locator(".dashboard > summary").getByText(said, { exact: true }).waitFor();
    await view.locator(".chart-card").first().getByText(said, { exact: true }).waitFor();
    await until(
      async () => (await tile.locator(".tile-now").count()) === 0,
      () => "the tile says what is now",
    );
    await screenshot(page, "gone-server");
    expect(workbench.errors).toEqual([]);
  });
});
