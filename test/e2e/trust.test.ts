import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { healthy, serve, type TestServer } from "../support/faulty-server.js";
import {
  answer,
  notification,
  openContainer,
  openWorkbench,
  runCommand,
  screenshot,
  statusBarItem,
  type Workbench,
} from "./driver.js";
import { tidied } from "./tidy.js";

describe("a workspace that is not trusted, whose settings name a server", () => {
  let folder: string;
  let workbench: Workbench;
  let server: TestServer;

  beforeAll(async () => {
    server = await serve(healthy());
    folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-trust-"));
    await mkdir(path.join(folder, ".vscode"));
    await writeFile(
      path.join(folder, ".vscode", "settings.json"),
      JSON.stringify({ "serverMetrics.startOnOpen": true, "serverMetrics.endpoints": [{ url: server.origin }] }),
    );
    workbench = await openWorkbench({ folder, container: "Server Metrics", trusts: false });
  });
  tidied(() => ({ workbench, folder }));
  afterAll(() => server.close());

  it("contacts nothing until the user trusts it, and then asks for the server", async () => {
    const { page } = workbench;
    const dialog = page.locator(".monaco-dialog-box");
    await openContainer(page, "Server Metrics");
    await runCommand(page, "Server Metrics: Start Capture");
    await dialog.filter({ hasText: "This workspace is not trusted." }).waitFor();
    await screenshot(page, "trust-question");
    await dialog.locator(".monaco-button", { hasText: "Manage Workspace Trust" }).click();
    expect(server.requests).toEqual([]);
    await page
      .locator(".workspace-trust-editor .monaco-button", { hasText: /^Trust/ })
      .first()
      .click();
    await page.locator(".workspace-trust-editor.trusted").waitFor();
    await runCommand(page, "Server Metrics: Start Capture");
    await answer(page, /warm-up/);
    await answer(page, /label/);
    await dialog.filter({ hasText: server.origin }).waitFor();
    expect(server.requests).toEqual([]);
    await dialog.locator(".monaco-button", { hasText: "Allow" }).click();
    await statusBarItem(page, /1\/1 up/).waitFor();
    expect(server.requests.length).toBeGreaterThan(0);
    expect(await notification(page, "not trusted").count()).toBe(0);
  });
});
