import { mkdir } from "node:fs/promises";
import path from "node:path";
import { chromium, type Frame, type Locator, type Page } from "playwright-core";
import { findChromium, HOW_TO_GET_CHROMIUM } from "../workbench/chromium.mjs";
import { launchWorkbench } from "../workbench/launch.mjs";
import { extensionPackage, root } from "../workbench/project.mjs";

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
  /** .vsix to install; the project's own where absent. */
  readonly extension?: string;
  /** More of them, installed after it. */
  readonly besides?: readonly string[];
  readonly theme?: Theme;
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
  /** Installs a .vsix as its command line does, beside the window. */
  install(extension: string): Promise<void>;
  dispose(): Promise<void>;
}

const patience = 60_000;

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
  extension,
  besides = [],
  theme = "dark",
}: OpenOptions): Promise<Workbench> {
  const executablePath = await findChromium();
  if (executablePath === undefined) throw new Error(HOW_TO_GET_CHROMIUM);
  const server = await launchWorkbench({
    folder,
    extensions: [extension ?? (await extensionPackage()), ...besides],
    settings: { "workbench.colorTheme": THEMES[theme].setting, ...settings },
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
      install: server.install,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

const quickInput = (page: Page): Locator => page.locator(".quick-input-widget:visible");
const quickRows = (page: Page): Locator => quickInput(page).locator(".quick-input-list .monaco-list-row");

/** Runs a command by its full title from the palette. */
export async function runCommand(page: Page, title: string): Promise<void> {
  await chooseFrom(page, "F1", `>${title}`, title, `the palette has no command "${title}"`);
}

/** Opens a file of the workspace by its name. */
export async function openFile(page: Page, name: string): Promise<void> {
  await chooseFrom(page, "Control+P", name, name, `the workspace has no file "${name}"`);
}

/**
 * Opens a list by its key, types, and clicks the row. A view that takes the focus closes a list that has just been
 * opened, and one that was opened before its row was there is not refreshed: it is opened again. Patience grows with
 * each time, since on a busy machine a list is long in coming, and no step waits longer than it for a closed one.
 */
async function chooseFrom(page: Page, key: string, typed: string, label: string, failure: string): Promise<void> {
  const deadline = Date.now() + patience;
  for (let timeout = 1000; ; timeout = Math.min(2 * timeout, 16_000)) {
    await page.keyboard.press(key);
    const row = quickRows(page).filter({ hasText: label }).first();
    try {
      await quickInput(page).locator("input.input").fill(typed, { timeout });
      await row.click({ timeout });
      return;
    } catch (error) {
      if (Date.now() > deadline) throw new Error(failure, { cause: error });
      await page.keyboard.press("Escape");
    }
  }
}

/** Waits for a quick pick or input box whose title, placeholder or message matches. */
export async function waitForPrompt(page: Page, prompt: RegExp): Promise<Locator> {
  const widget = quickInput(page);
  let seen = "";
  await until(
    async () => {
      if ((await widget.count()) === 0) return false;
      const [title, message, placeholder] = await Promise.all([
        widget.locator(".quick-input-title").textContent(),
        widget.locator(".quick-input-message").textContent(),
        widget.locator("input.input").getAttribute("placeholder"),
      ]);
      seen = [title, message, placeholder].join("\n");
      return prompt.test(seen);
    },
    () => `no prompt matches ${String(prompt)}; the last one said: ${seen}`,
  );
  return widget;
}

/** Picks the row with this text from the quick pick that matches. */
export async function pick(page: Page, prompt: RegExp, row: string | RegExp): Promise<void> {
  await waitForPrompt(page, prompt);
  await quickRows(page).filter({ hasText: row }).first().click();
}

/** Types into the input box that matches and presses Enter; without text, only Enter. */
export async function answer(page: Page, prompt: RegExp, text?: string): Promise<void> {
  const widget = await waitForPrompt(page, prompt);
  const input = widget.locator("input.input");
  if (text !== undefined) await input.fill(text);
  await input.press("Enter");
}

/** Answers what Export As… asks: the usual formats and slices, with this prefix, to the place of this name. */
export async function answerExport(page: Page, prefix: string, place: string): Promise<void> {
  await answer(page, /formats to write/);
  await answer(page, /prefix/, prefix);
  await answer(page, /timeslice/);
  await pick(page, /Where to write/, place);
}

/**
 * Chooses from an item's context menu. The workbench may build an open menu anew, when contributions or the item
 * change, and what was about to be pressed is gone: the menu is then asked for again.
 */
export async function chooseFromMenu(page: Page, item: Locator, label: string): Promise<void> {
  const entry = page.getByRole("menuitem", { name: label });
  let last: unknown;
  await until(
    async () => {
      try {
        await item.click({ button: "right", timeout: 5000 });
        // A menu does not hear what is pressed in its first moment, and stays: it is pressed again.
        for (let presses = 0; presses < 5; presses++) {
          await entry.click({ timeout: 2000, delay: 50 });
          if (
            await entry.waitFor({ state: "detached", timeout: 1000 }).then(
              () => true,
              () => false,
            )
          )
            return true;
        }
        throw new Error("the menu stays");
      } catch (error) {
        last = error;
        await page.keyboard.press("Escape");
        return false;
      }
    },
    () => `the menu offers no "${label}": ${String(last)}`,
  );
}

/** Opens a file by a double click in the Explorer, its folders first. */
export async function openFromExplorer(page: Page, ...steps: readonly string[]): Promise<void> {
  await openContainer(page, "Explorer");
  for (const folder of steps.slice(0, -1)) await expand(explorerItem(page, folder));
  await openItem(page, steps.at(-1)!);
}

/**
 * Opens a file that the Explorer shows by a double click; once more where the workbench has not heard it: it builds its
 * tree anew now and then.
 */
export async function openItem(page: Page, file: string): Promise<void> {
  const item = explorerItem(page, file);
  await item.waitFor();
  await until(
    async () => {
      await item.dblclick();
      return editorTab(page, file)
        .waitFor({ timeout: 5000 })
        .then(
          () => true,
          () => false,
        );
    },
    () => `no editor of ${file} is opened`,
  );
}

/** Selects these files of a folder in the Explorer, and nothing else, without opening them. */
export async function selectInExplorer(page: Page, folder: string, ...files: readonly string[]): Promise<void> {
  await openContainer(page, "Explorer");
  await expand(explorerItem(page, folder));
  for (const file of files) await explorerItem(page, file).waitFor();
  for (const item of await page.locator(".sidebar").getByRole("treeitem").all()) {
    const selected = (await item.getAttribute("aria-selected")) === "true";
    const wanted = files.includes((await item.getAttribute("aria-label")) ?? "");
    if (selected !== wanted) await item.click({ modifiers: ["Control"] });
  }
  const selected = page.locator('.sidebar [role=treeitem][aria-selected="true"]');
  await until(
    async () => (await selected.count()) === files.length,
    () => `not just ${files.join(", ")} are selected`,
  );
}

/** Presses a button of the title bar of the editor in front. */
export async function pressInTitle(page: Page, label: string): Promise<void> {
  await page.locator(`.editor-group-container.active .editor-actions .action-label[aria-label^="${label}"]`).click();
}

/** Closes the editor of this name. */
export async function closeEditor(page: Page, title: string): Promise<void> {
  const tab = editorTab(page, title);
  await tab.click({ button: "middle" });
  await tab.waitFor({ state: "detached" });
}

export const editorTab = (page: Page, title: string | RegExp): Locator =>
  page.locator(".tabs-container .tab").filter({ hasText: title }).first();

export const statusBarItem = (page: Page, text: string | RegExp): Locator =>
  page.locator(".statusbar-item").filter({ hasText: text }).first();

export const notification = (page: Page, text: string | RegExp): Locator =>
  page
    .locator(".notifications-toasts .notification-toast, .notifications-center .notification-list-item")
    .filter({ hasText: text })
    .first();

/** Presses a button of a notification. */
export async function pressInNotification(page: Page, text: string | RegExp, button: string): Promise<void> {
  await notification(page, text).locator(".monaco-button", { hasText: button }).click();
}

/** Opens the extension's container in the side bar. */
export async function openContainer(page: Page, container: string): Promise<void> {
  const item = page
    .locator(".activitybar .action-item")
    .filter({ has: page.locator(`[aria-label^="${container}"]`) })
    .first();
  if (!(await item.getAttribute("class"))?.split(" ").includes("checked")) await item.click();
  await page
    .locator(".sidebar .composite.title")
    .filter({ hasText: new RegExp(container, "i") })
    .waitFor();
}

/** An item of a tree in the side bar by its label, scrolled to by the tree itself where it is long. */
export const treeItem = (page: Page, label: string | RegExp): Locator =>
  page.locator(".sidebar").getByRole("treeitem", { name: label }).first();

/** A file or folder of the Explorer by its whole name. */
export const explorerItem = (page: Page, name: string): Locator =>
  page.locator(".sidebar").getByRole("treeitem", { name, exact: true }).first();

/** Opens an item's children. */
export async function expand(item: Locator): Promise<void> {
  await item.waitFor();
  await until(
    async () => {
      if ((await item.getAttribute("aria-expanded")) === "true") return true;
      await item.click();
      await item.press("ArrowRight");
      return (await item.getAttribute("aria-expanded")) === "true";
    },
    () => "the tree item did not open",
  );
}

/** The content frame of the visible webview in which `selector` is found. */
export async function webview(page: Page, selector: string, timeout = patience): Promise<Frame> {
  let found: Frame | undefined;
  await until(
    async () => {
      for (const frame of page.frames()) {
        // Page > webview host > content.
        if (!frame.parentFrame()?.parentFrame() || frame.isDetached()) continue;
        // A frame may go away between the two looks; the next round finds its successor.
        const present = await frame
          .locator(selector)
          .count()
          .catch(() => 0);
        if (present > 0) found = frame;
      }
      return found !== undefined;
    },
    () =>
      `no webview shows ${selector}; frames: ${page
        .frames()
        .map((frame) => frame.url().split("?")[0])
        .join(", ")}`,
    timeout,
  );
  return found!;
}

/** A digest of all pixels of a canvas: two looks differ when what is drawn does. */
export function canvasDigest(canvas: Locator): Promise<number> {
  return canvas.evaluate((element) => {
    if (!(element instanceof HTMLCanvasElement) || element.width === 0 || element.height === 0)
      throw new Error("not a canvas with pixels");
    const pixels = element.getContext("2d")!.getImageData(0, 0, element.width, element.height).data;
    let hash = 0;
    for (const pixel of new Uint32Array(pixels.buffer)) hash = (Math.imul(hash, 31) + pixel) | 0;
    return hash;
  });
}

/**
 * Whether each of the canvases, and at least one, has more than a few pixels that differ from the one in its corner.
 */
export function allDrawn(canvases: Locator): Promise<boolean> {
  return canvases.evaluateAll((elements) => {
    const isDrawn = (canvas: Element): boolean => {
      if (!(canvas instanceof HTMLCanvasElement) || canvas.width === 0 || canvas.height === 0) return false;
      const pixels = new Uint32Array(
        canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height).data.buffer,
      );
      let drawn = 0;
      return pixels.some((pixel) => pixel !== pixels[0] && ++drawn > 100);
    };
    return elements.length > 0 && elements.every(isDrawn);
  });
}

/** What the workbench keeps between two loads of a window, by where it keeps it. */
const STORED = { editors: "memento/workbench.parts.editor", extension: "server-metrics.server-metrics" } as const;

/**
 * Waits until the workbench's own store in the browser holds `text` (JSON, of whatever depth: backslashes are left
 * out). It is written seconds after what it tells, by a timer, and a window that is loaded anew knows no more than it.
 */
export async function stored(page: Page, where: keyof typeof STORED, text: RegExp): Promise<void> {
  const read = (key: string): Promise<readonly string[]> =>
    page.evaluate(async (wanted) => {
      const done = <T>(request: IDBRequest<T>): Promise<T> =>
        new Promise((resolve, reject) => {
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error ?? new Error("the store cannot be read"));
        });
      const found: string[] = [];
      for (const { name } of await indexedDB.databases()) {
        if (!name?.startsWith("vscode-web-state-db")) continue;
        const database = await done(indexedDB.open(name));
        const value: unknown = await done(database.transaction("ItemTable").objectStore("ItemTable").get(wanted));
        database.close();
        if (typeof value === "string") found.push(value);
      }
      return found;
    }, key);
  let seen = "";
  await until(
    async () => {
      seen = (await read(STORED[where])).join("\n").replaceAll("\\", "");
      return text.test(seen);
    },
    () => `the workbench has not stored ${String(text)}, but ${seen}`,
  );
}

/** Keeps a picture of the window as out/e2e/<name>.png. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = path.join(root, "out/e2e");
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
}

/** Asks again until it is so. @throws Error with `otherwise()` when it is not in time. */
export async function until(
  condition: () => Promise<boolean>,
  otherwise: () => string,
  timeout = patience,
): Promise<void> {
  const deadline = performance.now() + timeout;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(otherwise());
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
