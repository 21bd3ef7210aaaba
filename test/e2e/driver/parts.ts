import type { Locator, Page } from "playwright-core";
import { until } from "./until.js";

/* Parts of the window: menus, trees, editors, notifications. */

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

/** By its title or, where a run's label or folder is the title, by the name of its file. */
export const editorTab = (page: Page, title: string | RegExp): Locator => {
  const tabs = page.locator(".tabs-container .tab");
  const titled = tabs.filter({ hasText: title });
  return (typeof title === "string" ? titled.or(page.locator(`.tab[data-resource-name="${title}"]`)) : titled).first();
};

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
