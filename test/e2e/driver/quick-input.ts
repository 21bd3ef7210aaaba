import type { Locator, Page } from "playwright-core";
import { patience, until } from "./until.js";

const quickInput = (page: Page): Locator => page.locator(".quick-input-widget:visible");
export const quickRows = (page: Page): Locator => quickInput(page).locator(".quick-input-list .monaco-list-row");

/** Runs a command by its full title from the palette. */
export async function runCommand(page: Page, title: string, typed = title): Promise<void> {
  await chooseFrom(page, "F1", `>${typed}`, title, `the palette has no command "${title}"`);
}

/** Opens a file of the workspace by its name. */
export async function openFile(page: Page, name: string): Promise<void> {
  await chooseFrom(page, "Control+P", name, name, `the workspace has no file "${name}"`);
}

/** Runs a task of the workspace, once its file has been noticed. */
export async function runTask(page: Page, name: string): Promise<void> {
  await chooseFrom(page, "Control+P", `task ${name}`, name, `the workspace has no task "${name}"`);
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
