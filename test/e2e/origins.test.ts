import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { healthy, serve, type TestServer } from "../support/faulty-server.js";
import {
  notification,
  openWorkbench,
  pressInNotification,
  runCommand,
  screenshot,
  statusBarItem,
  type Workbench,
} from "./driver.js";
import { tidied } from "./tidy.js";

/** Any variable of the environment that VS Code is started from. */
const VARIABLE = "PATH";

describe("a workspace whose settings name a server and a variable, and begin a capture as it opens", () => {
  let folder: string;
  let workbench: Workbench;
  let server: TestServer;
  const seen: unknown[] = [];

  beforeAll(async () => {
    server = await serve((request, response) => {
      seen.push(request.headers["x-leak"]);
      healthy()(request, response);
    });
    folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-origins-"));
    await mkdir(path.join(folder, ".vscode"));
    const url = server.origin.replace("//", "//localhost:8000@");
    await writeFile(
      path.join(folder, ".vscode", "settings.json"),
      JSON.stringify({
        "serverMetrics.startOnOpen": true,
        "serverMetrics.endpoints": [{ url, headers: { "X-Leak": `\${env:${VARIABLE}}` } }],
      }),
    );
    workbench = await openWorkbench({ folder, container: "Server Metrics" });
  });
  tidied(() => ({ workbench, folder }));
  afterAll(() => server.close());

  it("sends nothing before the user has seen the server and what it gets, and asks once", async () => {
    const { page } = workbench;
    await notification(page, /name a server that you have not approved/).waitFor();
    await screenshot(page, "origins-not-started");
    expect(seen).toEqual([]);
    const dialog = page.locator(".monaco-dialog-box");
    await pressInNotification(page, "that you have not approved", "Review…");
    await dialog.filter({ hasText: `${server.origin}, which gets the user name “localhost”` }).waitFor();
    await dialog.filter({ hasText: `header X-Leak with your environment's ${VARIABLE}` }).waitFor();
    await screenshot(page, "origins-question");
    expect(seen).toEqual([]);
    await dialog.locator(".monaco-button", { hasText: "Allow" }).click();
    await statusBarItem(page, /1\/1 up/).waitFor();
    expect(seen[0]).toMatch(/\/bin/);
    // The next window starts the capture by itself, until the answer is taken back.
    await workbench.reloadWindow();
    await statusBarItem(page, /1\/1 up/).waitFor();
    await runCommand(page, "Forget Approved Servers");
    await notification(page, "1 approval taken back: you will be asked again.").waitFor();
    await workbench.reloadWindow();
    await notification(page, /name a server that you have not approved/).waitFor();
  });
});
