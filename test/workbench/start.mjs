/**
 * `npm start`: the product to try, on a fresh checkout too. Installs, builds, packages, starts the demo server and a
 * workbench with the extension installed and a demo workspace, and opens it: a capture of the demo server runs in its
 * live view, beside a README that says what to try. Ctrl-C stops everything.
 *
 * `npm start -- --headless` captures from the demo server for 10 s with the CLI instead and prints its summary.
 * Only node: modules are imported here.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { launchWorkbench, QUIET_SETTINGS } from "./launch.mjs";
import { build, ensureDependencies, packageExtension, requireNode, root, run, whenParentEnds } from "./project.mjs";

const DEMO_TIMEOUT_MS = 20_000;
const HEADLESS_SECONDS = 10;
const workspace = path.join(root, "out/demo-workspace");
const DEMO_SETTINGS = { "workbench.startupEditor": "readme" };

/** What has been started, to be stopped in reverse. @type {(() => Promise<void> | void)[]} */
const started = [];

async function stopAll() {
  for (const stop of started.splice(0).reverse()) await stop();
}

/** @returns {Promise<number>} a port of 127.0.0.1 that was free a moment ago */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        typeof address === "object" && address !== null
          ? resolve(address.port)
          : reject(new Error("no port could be had")),
      );
    });
  });
}

/** @param {string} url */
function answers(url) {
  return new Promise((resolve) => {
    const request = http.get(url, { timeout: 2000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.once("timeout", () => request.destroy()).once("error", () => resolve(false));
  });
}

/** @returns {Promise<string>} URL of its metrics */
async function startDemo() {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/metrics`;
  const child = spawn(process.execPath, ["dist/cli.js", "demo", "--port", String(port)], {
    cwd: root,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (chunk) => (said += chunk));
  let ended = false;
  const end = new Promise((resolve) => child.once("close", resolve).once("error", resolve)).then(
    () => void (ended = true),
  );
  started.push(async () => {
    child.kill();
    await end;
  });
  const deadline = Date.now() + DEMO_TIMEOUT_MS;
  while (!(await answers(url))) {
    if (ended) throw new Error(`the demo server ended at once: ${said}`);
    if (Date.now() > deadline)
      throw new Error(`the demo server did not answer at ${url} within ${DEMO_TIMEOUT_MS / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return url;
}

/** @param {string} url */
async function demoWorkspace(url) {
  await mkdir(path.join(workspace, ".vscode"), { recursive: true });
  const settings = {
    "serverMetrics.endpoints": [{ url, label: "demo", enabled: true }],
    "serverMetrics.startOnOpen": true,
  };
  await writeFile(path.join(workspace, ".vscode/settings.json"), `${JSON.stringify(settings, null, 2)}\n`);
  await writeFile(path.join(workspace, "README.md"), DEMO_README);
  const example = path.join(workspace, "demo.experiment.yaml");
  if (!existsSync(example)) spawnSync(process.execPath, ["dist/cli.js", "experiment", "init", example], { cwd: root });
}

const DEMO_README = `# Server Metrics demo

A capture of a simulated vLLM server is running beside this page. Things to try:

1. Click a key metric to see its chart. Drag in a chart to zoom, press 0 to see everything again.
2. Press Ctrl+F (Cmd+F) in the live view to search metrics, labels and descriptions.
3. Press F1 and run **Server Metrics: Add Mark** to note an event in the charts.
4. Press F1 and run **Server Metrics: Stop Capture**. The artifacts are written to \`artifacts/server-metrics\`.
5. Press F1 and run **Server Metrics: Start Capture** for a second run. Then select both runs in the *Artifacts* view and
   choose **Compare Runs**.
6. Open \`demo.experiment.yaml\` and click **Run** above it: an experiment decides between two simulated servers.
`;

/**
 * Desktop VS Code, where its own command is on the PATH; the `code` of a remote terminal cannot start a window of its
 * own.
 */
function desktopCode() {
  if (process.env["VSCODE_IPC_HOOK_CLI"] !== undefined) return false;
  return spawnSync("code", ["--version"], { stdio: "ignore", shell: process.platform === "win32" }).status === 0;
}

/** @param {string} extension */
async function openDesktop(extension) {
  const home = await mkdtemp(path.join(os.tmpdir(), "server-metrics-code-"));
  started.push(() => rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
  await mkdir(path.join(home, "data/User"), { recursive: true });
  await writeFile(
    path.join(home, "data/User/settings.json"),
    JSON.stringify({ ...QUIET_SETTINGS, ...DEMO_SETTINGS }, null, 2),
  );
  const own = ["--user-data-dir", path.join(home, "data"), "--extensions-dir", path.join(home, "ext")];
  if (process.getuid?.() === 0) own.push("--no-sandbox");
  /** @param {string[]} args */
  const code = (...args) =>
    spawn("code", [...own, ...args], { stdio: ["ignore", "inherit", "inherit"], shell: process.platform === "win32" });
  /** @param {import("node:child_process").ChildProcess} child */
  const end = (child) => new Promise((resolve) => child.once("close", resolve));
  if ((await end(code("--install-extension", extension))) !== 0)
    throw new Error("code could not install the extension; its reason is above");
  console.log(
    `\nOpening VS Code with ${path.relative(root, workspace)}. Its live view shows a running capture. Ctrl-C stops the demo server.`,
  );
  const window = code("--new-window", "--wait", workspace);
  started.push(() => void window.kill());
  await end(window);
}

/** @param {string} url */
function openBrowser(url) {
  if (
    process.platform === "linux" &&
    process.env["DISPLAY"] === undefined &&
    process.env["WAYLAND_DISPLAY"] === undefined
  )
    return;
  const [command, ...args] =
    process.platform === "darwin"
      ? ["open", url]
      : process.platform === "win32"
        ? ["cmd", "/c", "start", "", url]
        : ["xdg-open", url];
  const child = spawn(command ?? "", args, { stdio: "ignore", detached: true });
  // The URL has been printed; without a browser to open it that must do.
  child.once("error", () => undefined);
  child.unref();
}

/** @param {string} extension */
async function openInBrowser(extension) {
  const workbench = await launchWorkbench({ folder: workspace, extensions: [extension], settings: DEMO_SETTINGS });
  started.push(workbench.dispose);
  console.log(
    `\nThe workbench is at\n\n  ${workbench.url}\n\nIt opens with the live view of a running capture. Ctrl-C stops everything.`,
  );
  openBrowser(workbench.url);
  await workbench.ended;
}

async function main() {
  const args = process.argv.slice(2);
  const headless = args.length === 1 && args[0] === "--headless";
  if (args.length > 0 && !headless) throw new Error("usage: npm start [-- --headless]");
  await requireNode();
  await ensureDependencies();
  await build();
  if (headless) {
    const out = path.join(root, "out/demo-capture");
    await run(process.execPath, [
      "dist/cli.js",
      "capture",
      "--url",
      await startDemo(),
      "--duration",
      String(HEADLESS_SECONDS),
      "--out",
      out,
    ]);
    console.log(`\nThe artifacts are in ${path.relative(process.cwd(), out)}.`);
    return;
  }
  const extension = await packageExtension();
  const url = await startDemo();
  console.log(`\nThe demo server is at ${url}`);
  await demoWorkspace(url);
  await (desktopCode() ? openDesktop(extension) : openInBrowser(extension));
}

whenParentEnds(() => void stopAll().finally(() => process.exit(143)));
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
  process.on(signal, () => {
    void stopAll().finally(() => process.exit(signal === "SIGINT" ? 130 : 143));
  });
}
try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
await stopAll();
