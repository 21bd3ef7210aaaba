import { chromium, type Page } from "playwright-core";
import { findChromium, HOW_TO_GET_CHROMIUM } from "../workbench/chromium.mjs";
import { launchWorkbench } from "../workbench/launch.mjs";
import { extensionPackage } from "../workbench/project.mjs";
import { quickRows, runCommand, waitForPrompt } from "./driver/quick-input.js";
import { patience } from "./driver/until.js";

export * from "./driver/pages.js";
export * from "./driver/parts.js";
export { answer, answerExport, openFile, pick, runCommand, runTask, waitForPrompt } from "./driver/quick-input.js";
export { until } from "./driver/until.js";

/*
 * Drives a real workbench in a real browser. All waiting is for something to appear or change, bounded by `patience`.
 */

/** Themes: value of the setting, label in the list of themes, and the class that the workbench then has. */
export const THEMES = {
  dark: { setting: "Dark Modern", label: "Dark Modern", className: "vs-dark" },
  light: { setting: "Light Modern", label: "Light Modern", className: "vs" },
  "high-contrast": { setting: "Default High Contrast", label: "Dark High Contrast", className: "hc-black" },
} as const;
export type Theme = keyof typeof THEMES;

export interface OpenOptions {
  /** Workspace folder, absolute. */
  readonly folder: string;
  /** Label of the activity-bar item by which the extension's contributions are known to have arrived. */
  readonly container: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Settings of the scope machine-overridable, such as folders. */
  readonly machineSettings?: Readonly<Record<string, unknown>>;
  /** .vsix to install; the project's own where absent. */
  readonly extension?: string;
  /** More of them, installed after it. */
  readonly besides?: readonly string[];
  readonly theme?: Theme;
  /** Whether the folder is trusted unasked; absent: it is. */
  readonly trusts?: boolean;
  /** The window's display language, for what extensions translate; absent: English. */
  readonly language?: string;
}

export interface Workbench {
  readonly page: Page;
  /**
   * Errors that webviews have thrown or written to their consoles so far, a refused Content Security Policy among them.
   */
  readonly errors: readonly string[];
  setTheme(theme: Theme): Promise<void>;
  /** Loads the window anew, as closing and opening it does. */
  reload(): Promise<void>;
  /** By the workbench's own command, which first writes what it keeps: that takes 100 ms and more by itself. */
  reloadWindow(): Promise<void>;
  /** Installs a .vsix as its command line does, beside the window. */
  install(extension: string): Promise<void>;
  dispose(): Promise<void>;
}

/** The workbench's own code, whose complaints are not ours. */
const WORKBENCH_SCRIPT = /\/static\/(?:out\/vs\/(?:code|workbench\/workbench)|node_modules)\//;

const BROWSER_ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * Starts a workbench with a fresh profile and waits until the extension's contributions are there.
 * @throws Error saying what is missing, when Chromium, the packed extension or the workbench is
 */
export async function openWorkbench({
  folder,
  container,
  settings = {},
  machineSettings = {},
  extension,
  besides = [],
  theme = "dark",
  trusts = true,
  language,
}: OpenOptions): Promise<Workbench> {
  const executablePath = await findChromium();
  if (executablePath === undefined) throw new Error(HOW_TO_GET_CHROMIUM);
  const server = await launchWorkbench({
    folder,
    extensions: [extension ?? (await extensionPackage()), ...besides],
    settings: { "workbench.colorTheme": THEMES[theme].setting, ...settings },
    machineSettings,
    trusts,
  });
  const browser = await chromium.launch({ executablePath, args: BROWSER_ARGS }).catch(async (error: unknown) => {
    await server.dispose();
    throw error;
  });
  const dispose = async (): Promise<void> => {
    await browser.close();
    await server.dispose();
  };
  try {
    const context = await browser.newContext({
      viewport: { width: 1400, height: 900 },
      permissions: ["clipboard-read", "clipboard-write"],
    });
    context.setDefaultTimeout(patience);
    // code-server's own worker for the page (not the webviews') only delays the first webview by seconds.
    await context.addInitScript(() => {
      if (window.top === window) navigator.serviceWorker.register = () => new Promise(() => undefined);
    });
    // As the script of a language pack does, which code-server would load from elsewhere.
    await context.addInitScript((name) => Object.assign(globalThis, { _VSCODE_NLS_LANGUAGE: name }), language);
    const page = await context.newPage();
    const errors: string[] = [];
    page.on("pageerror", (error) => {
      if (!WORKBENCH_SCRIPT.test(error.stack ?? "")) errors.push(error.stack ?? error.message);
    });
    page.on("console", (message) => {
      if (message.type() === "error" && !WORKBENCH_SCRIPT.test(message.location().url))
        errors.push(`${message.text()} (${message.location().url})`);
    });
    const ready = async (themeNow: Theme): Promise<void> => {
      await page.locator(`.monaco-workbench.${THEMES[themeNow].className}`).waitFor();
      await page.locator(`.activitybar [aria-label="${container}"]`).first().waitFor();
    };
    let themeNow = theme;
    await page.goto(server.url);
    await ready(themeNow);
    return {
      page,
      errors,
      dispose,
      async setTheme(next) {
        themeNow = next;
        // By hand: code-server does not notice a settings file that is changed beside it.
        await runCommand(page, "Preferences: Color Theme");
        const list = await waitForPrompt(page, /theme/i);
        await list.locator("input.input").fill(THEMES[next].label);
        await quickRows(page).filter({ hasText: THEMES[next].label }).first().click();
        await ready(next);
      },
      async reload() {
        await page.reload();
        await ready(themeNow);
      },
      async reloadWindow() {
        await Promise.all([page.waitForEvent("load"), runCommand(page, "Developer: Reload Window")]);
        await ready(themeNow);
      },
      install: server.install,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}
