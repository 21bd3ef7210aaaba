import { mkdir } from "node:fs/promises";
import path from "node:path";
import type { Frame, Locator, Page } from "playwright-core";
import { root } from "../../workbench/project.mjs";
import { patience, until } from "./until.js";

/* Pages in the window, what they draw, and what the window keeps. */

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

/** Where it is in the window. @throws Error when it is not drawn */
export async function boxOf(
  locator: Locator,
): Promise<{ readonly x: number; readonly y: number; readonly width: number; readonly height: number }> {
  const box = await locator.boundingBox();
  if (box === null) throw new Error("what is pointed at has no place");
  return box;
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
