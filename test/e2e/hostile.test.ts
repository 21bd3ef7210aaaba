import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answer, notification, openWorkbench, runCommand, screenshot, type Workbench } from "./driver.js";
import { tidied } from "./tidy.js";

const BODY = "[Show how to repair it](command:workbench.action.quickOpen?%22x%22)";

describe("an endpoint whose error body is a command link", () => {
  let folder: string;
  let server: Server;
  let workbench: Workbench;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-e2e-"));
    server = createServer((_request, response) => response.writeHead(500, { "content-type": "text/plain" }).end(BODY));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    workbench = await openWorkbench({
      folder,
      container: "Server Metrics",
      settings: { "serverMetrics.endpoints": [{ url: `http://127.0.0.1:${port}/metrics` }] },
    });
  });
  afterAll(() => server.close());
  tidied(() => ({ workbench, folder }));

  it("has no link in the notification, and the words stay readable", async () => {
    const { page } = workbench;
    await runCommand(page, "Start Server Metrics Capture");
    await answer(page, /warm-up/);
    await answer(page, /label/);
    const shown = notification(page, /Show how to repair it/);
    await shown.waitFor();
    await screenshot(page, "hostile-notification");
    expect(await shown.textContent()).toContain("[Show how to repair it] (command:workbench.action.quickOpen?%22x%22)");
    expect(await shown.locator(".notification-list-item-message a").count()).toBe(0);
  });
});
