/**
 * Starts a workbench of its own: fresh user data and extensions, one folder opened, our .vsix installed. Only node:
 * modules.
 */
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { installWorkbench } from "./install.mjs";

/** Nothing of ours depends on these; they keep a first start quiet and the network untouched. */
export const QUIET_SETTINGS = {
  "workbench.startupEditor": "none",
  "workbench.enableExperiments": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.tips.enabled": false,
  // A hover that pops up under the pointer would swallow a test's next click.
  "workbench.hover.delay": 100_000,
  "window.autoDetectColorScheme": false,
  "chat.disableAIFeatures": true,
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "git.enabled": false,
  "telemetry.telemetryLevel": "off",
  "security.workspace.trust.enabled": false,
};

/** Every folder is opened in restricted mode, and nothing asks. */
const WITH_TRUST = {
  "security.workspace.trust.enabled": true,
  "security.workspace.trust.startupPrompt": "never",
};

const NO_GALLERY = JSON.stringify({ serviceUrl: "", itemUrl: "", resourceUrlTemplate: "", controlUrl: "" });
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 5_000;

/**
 * @typedef {object} LaunchOptions
 * @property {string} folder workspace to open, absolute
 * @property {readonly string[]} extensions .vsix files to install
 * @property {Readonly<Record<string, unknown>>} [settings] user settings, over QUIET_SETTINGS
 * @property {Readonly<Record<string, unknown>>} [machineSettings] those of the workbench's machine: its window is a
 *   remote one, which takes settings of the scope machine-overridable from here, and from the user's only until the
 *   extension's manifest has been read
 * @property {boolean} [trusts] whether every folder is trusted unasked; absent: it is
 */

/**
 * @typedef {object} LaunchedWorkbench
 * @property {string} url opens `folder`
 * @property {string} userData its user-data folder
 * @property {() => string} log what the server has printed so far
 * @property {(extension: string) => Promise<void>} install a .vsix, over the version that is there
 * @property {Promise<unknown>} ended settles when the server is gone
 * @property {() => Promise<void>} dispose stops the server and its children, and removes its folders
 */

/**
 * Resolves when the server answers.
 * @param {LaunchOptions} options
 * @returns {Promise<LaunchedWorkbench>}
 * @throws Error with the server's output when it cannot be started
 */
export async function launchWorkbench({ folder, extensions, settings = {}, machineSettings = {}, trusts = true }) {
  const { node, entry } = await installWorkbench();
  // In the system's temporary folder, for a socket's path must be short.
  const home = await mkdtemp(path.join(os.tmpdir(), "server-metrics-workbench-"));
  const directories = [
    "--config",
    path.join(home, "config.yaml"),
    "--user-data-dir",
    path.join(home, "data"),
    "--extensions-dir",
    path.join(home, "ext"),
  ];
  const environment = serverEnvironment();
  const install = async (/** @type {string} */ extension) => {
    const installing = start(node, [entry, ...directories, "--install-extension", extension, "--force"], environment);
    if ((await installing.ended) !== 0)
      throw new Error(`${path.basename(extension)} could not be installed:\n${installing.log()}`);
  };
  try {
    await mkdir(path.join(home, "data/User"), { recursive: true });
    await writeFile(
      path.join(home, "data/User/settings.json"),
      JSON.stringify({ ...QUIET_SETTINGS, ...(trusts ? {} : WITH_TRUST), ...settings }, null, 2),
    );
    await mkdir(path.join(home, "data/Machine"), { recursive: true });
    await writeFile(path.join(home, "data/Machine/settings.json"), JSON.stringify(machineSettings, null, 2));
    await writeFile(path.join(home, "config.yaml"), "");
    for (const extension of extensions) await install(extension);
    const server = start(
      node,
      [
        entry,
        ...directories,
        "--auth",
        "none",
        "--bind-addr",
        "127.0.0.1:0",
        "--session-socket",
        path.join(home, "session.sock"),
        "--disable-telemetry",
        "--disable-update-check",
        ...(trusts ? ["--disable-workspace-trust"] : []),
        "--disable-getting-started-override",
        "--reconnection-grace-time",
        "2",
        folder,
      ],
      environment,
    );
    try {
      const origin = await listening(server);
      return {
        url: `${origin}/?folder=${encodeURIComponent(folder)}`,
        userData: path.join(home, "data"),
        log: server.log,
        install,
        ended: server.ended,
        dispose: async () => {
          await server.stop();
          await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
        },
      };
    } catch (error) {
      await server.stop();
      throw error;
    }
  } catch (error) {
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    throw error;
  }
}

/** Ours, without what a surrounding editor, npm or test runner has put there for its own children. */
function serverEnvironment() {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(VSCODE_|ELECTRON_|npm_|VITEST|NODE_OPTIONS$|NODE_ENV$|PORT$|PASSWORD$|CODE_SERVER_)/.test(name),
  );
  return { ...Object.fromEntries(inherited), EXTENSIONS_GALLERY: NO_GALLERY };
}

/**
 * A child in a process group of its own, so that stopping it stops its children too.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
function start(command, args, env) {
  const child = spawn(command, args, {
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: process.platform !== "win32",
  });
  let text = "";
  /** @type {Set<() => void>} */
  const listeners = new Set();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
      for (const listener of listeners) listener();
    });
  }
  /** @type {Promise<number>} */
  const ended = new Promise((resolve) => {
    child.once("error", (error) => {
      text += `${error.message}\n`;
      resolve(-1);
    });
    child.once("close", (code) => resolve(code ?? -1));
  });
  /** @param {NodeJS.Signals} signal */
  const kill = (signal) => {
    if (child.pid === undefined) return;
    try {
      process.kill(process.platform === "win32" ? child.pid : -child.pid, signal);
    } catch {
      // The group is gone, which is what was wanted.
    }
  };
  const killAtExit = () => kill("SIGKILL");
  process.once("exit", killAtExit);
  void ended.then(() => process.off("exit", killAtExit));
  return {
    ended,
    log: () => text,
    /** @param {() => void} listener */
    onOutput: (listener) => void listeners.add(listener),
    async stop() {
      kill("SIGTERM");
      const timer = setTimeout(() => kill("SIGKILL"), STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(timer);
      kill("SIGKILL");
    },
  };
}

/**
 * @param {ReturnType<typeof start>} server
 * @returns {Promise<string>} origin
 */
function listening(server) {
  return new Promise((resolve, reject) => {
    const fail = (/** @type {string} */ why) => reject(new Error(`the workbench server ${why}:\n${server.log()}`));
    const timer = setTimeout(() => fail(`did not listen within ${START_TIMEOUT_MS / 1000} s`), START_TIMEOUT_MS);
    server.onOutput(() => {
      const origin = /HTTP server listening on (http:\/\/[\d.]+:\d+)/.exec(server.log())?.[1];
      if (origin === undefined) return;
      clearTimeout(timer);
      resolve(origin);
    });
    void server.ended.then(() => {
      clearTimeout(timer);
      fail("ended at once");
    });
  });
}
