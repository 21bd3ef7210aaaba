import { copyFile, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openArtifact } from "../../src/files/open/index.js";
import { startedBy } from "../support/peak.js";
import { differenceOf, recordedOf } from "../torture/recorded.js";
import { startServers, type LoggedServer } from "../torture/servers.js";
import { packageExtension } from "../workbench/project.mjs";
import {
  answer,
  chooseFromMenu,
  editorTab,
  explorerItem,
  notification,
  openFromExplorer,
  openWorkbench,
  pressInNotification,
  runCommand,
  selectInExplorer,
  statusBarItem,
  until,
  webview,
  type Workbench,
} from "./driver.js";
import { tidied } from "./tidy.js";

const INTERVAL_MS = 100;
/** Answers that an end may cost each endpoint at most: those of a second. */
const MAX_LOST = 1000 / INTERVAL_MS;
/** The same extension, packed with a later version. */
const LATER = "99.0.0";

/** The processes that run extensions of workbenches, among those that this one has started. */
async function extensionHosts(pid = String(process.pid)): Promise<readonly number[]> {
  const hosts: number[] = [];
  for (const started of await startedBy(pid)) {
    const command = await readFile(`/proc/${started}/cmdline`, "utf8").catch(() => "");
    if (command.includes("--type=extensionHost")) hosts.push(Number(started));
    else hosts.push(...(await extensionHosts(started)));
  }
  return hosts;
}

/** The one that runs the window's extensions; one of a window before it may take a moment to end. */
async function extensionHost(): Promise<number> {
  let hosts: readonly number[] = [];
  await until(
    async () => (hosts = await extensionHosts()).length === 1,
    () => `there are ${hosts.length} extension hosts`,
  );
  return hosts[0]!;
}

/** Settles when a process is no more, or has ended and waits for its parent to ask. */
const gone = (pid: number): Promise<void> =>
  until(
    async () => !/^State:\s*[^ZX]/m.test(await readFile(`/proc/${pid}/status`, "utf8").catch(() => "")),
    () => `process ${pid} does not end`,
  );

describe.runIf(process.platform === "linux")("a capture whose window ends in the middle", () => {
  let folder: string;
  let later: string;
  let servers: LoggedServer[] = [];
  let workbench: Workbench;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-e2e-"));
    servers = await startServers(2, 0, Math.random);
    later = await packageExtension(LATER);
    workbench = await openWorkbench({
      folder,
      container: "Server Metrics",
      settings: {
        "serverMetrics.endpoints": servers.map(({ url }) => ({ url })),
        "serverMetrics.interval": `${INTERVAL_MS}ms`,
        "serverMetrics.formats": ["jsonl"],
      },
      machineSettings: { "serverMetrics.outputFolder": "runs" },
    });
  });
  afterAll(async () => {
    servers.forEach((server) => server.close());
    await rm(later, { force: true });
  });
  tidied(() => ({ workbench, folder }));

  const artifacts = async (): Promise<readonly string[]> =>
    (await readdir(path.join(folder, "runs"), { recursive: true }).catch((): string[] => [])).filter((name) =>
      name.endsWith("server_metrics_export.jsonl"),
    );

  const servedAtLeast = (more: number): Promise<void> => {
    const counts = servers.map(({ served }) => served.length);
    return until(
      () => Promise.resolve(servers.every(({ served }, i) => served.length >= (counts[i] ?? 0) + more)),
      () => "the servers are not asked",
    );
  };

  /**
   * A notification that comes at a moment nobody knows: it leaves the screen after ten seconds, in which a machine that
   * is very busy may not have looked, and stays in the centre.
   */
  const notified = async (text: RegExp): Promise<void> => {
    const { page } = workbench;
    const shown = notification(page, text);
    const isThere = () =>
      shown.waitFor({ timeout: 10_000 }).then(
        () => true,
        () => false,
      );
    await until(
      async () => {
        if (await isThere()) return true;
        await runCommand(page, "Notifications: Show Notifications");
        return isThere();
      },
      () => `there is no notification ${String(text)}`,
      120_000,
    );
  };

  /** Of two saved runs one as an editor, both as a comparison and as a sweep. */
  const openRuns = async (): Promise<void> => {
    const { page } = workbench;
    const names = ["first", "second"].map((name) => `${name}_server_metrics.jsonl`);
    const [shown = "", other = ""] = names;
    await mkdir(path.join(folder, "kept"));
    for (const [i, name] of (await artifacts()).slice(0, names.length).entries())
      await copyFile(path.join(folder, "runs", name), path.join(folder, "kept", names[i] ?? ""));
    await openFromExplorer(page, "kept", shown);
    await webview(page, ".run-view .run-header");
    await selectInExplorer(page, "kept", shown, other);
    await chooseFromMenu(page, explorerItem(page, other), "Compare Runs");
    await webview(page, 'main.comparison-view[aria-busy="false"]');
    await chooseFromMenu(page, explorerItem(page, "kept"), "Open Sweep");
  };

  it.each([
    ["closed", (bench: Workbench) => bench.reload()],
    [
      "left without its extension host",
      async (bench: Workbench, host: number) => {
        process.kill(host, "SIGKILL");
        await bench.reload();
      },
    ],
    [
      "its extension host killed, and started anew by the workbench",
      async ({ page }: Workbench, host: number) => {
        await openRuns();
        // In the page that the host leaves; one that is made anew has it not.
        await (await webview(page, ".library .library-axes")).evaluate(() => (document.body.dataset["left"] = "yes"));
        process.kill(host, "SIGKILL");
        // All tabs of the window stay and are shown anew: what is in sight by itself, the others as they come into it.
        await webview(page, "body:not([data-left]) .library .library-axes", 120_000);
        await editorTab(page, /^Compare: .* ↔/).click();
        await webview(page, 'main.comparison-view[aria-busy="false"]', 120_000);
        await editorTab(page, "first_server_metrics.jsonl").click();
        await webview(page, ".run-view .run-header", 120_000);
        // The capture has ended: its tab does not go on saying that it profiles.
        await editorTab(page, "Server Metrics").click();
        const view = await webview(page, ".placeholder-actions", 120_000);
        await view.getByText(/The capture shown here ended/).waitFor();
        expect(await page.locator(".tabs-container .tab").count()).toBe(4);
        await runCommand(page, "View: Close All Editors");
      },
    ],
    [
      "left by an extension that a later one replaces",
      async (bench: Workbench) => {
        await bench.install(later);
        // The one before goes on until its window is loaded anew.
        await servedAtLeast(MAX_LOST);
        await bench.reload();
      },
    ],
  ])("is recovered, and less than a second of it is missing: %s", async (_, end) => {
    const { page } = workbench;
    const before = await artifacts();
    const earlier = servers.map(({ served }) => served.length);
    await runCommand(page, "Server Metrics: Start Capture");
    await answer(page, /warm-up/);
    await answer(page, /label/);
    await statusBarItem(page, /2\/2 up/).waitFor();
    await servedAtLeast(3 * MAX_LOST);
    const host = await extensionHost();
    await end(workbench, host);
    await gone(host);
    const ended = servers.map(({ served }) => served.length);

    await notified(/ended before its artifacts were written/);
    await pressInNotification(page, /ended before its artifacts were written/, "Recover");
    await notified(/Server metrics written/);
    const [written = ""] = (await artifacts()).filter((name) => !before.includes(name));
    const opened = await openArtifact(path.join(folder, "runs", written));
    if (opened.kind !== "samples") throw new Error(`the artifact opened as ${opened.kind}`);
    const recorded = recordedOf(opened.run);
    for (const [i, { url, served }] of servers.entries()) {
      const found = recorded.get(url) ?? { values: [] };
      expect(differenceOf(found, served)).toBeUndefined();
      // The first answers told the test of the endpoint that there are metrics.
      expect(found.values[0]).toBeLessThan((served[earlier[i] ?? 0]?.value ?? 0) + 5);
      const last = found.values.at(-1) ?? 0;
      const lost = served.slice(0, ended[i]).filter(({ value }) => value > last);
      expect(lost.length).toBeLessThanOrEqual(MAX_LOST);
    }
    await page.keyboard.press("Escape");
    await runCommand(page, "Notifications: Clear All Notifications");
  });

  it("goes on in the version that was installed in mid-capture", async () => {
    await runCommand(workbench.page, "Developer: Show Running Extensions");
    await workbench.page.locator(".runtime-extensions-editor .version", { hasText: LATER }).waitFor();
  });
});
