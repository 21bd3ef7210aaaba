import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import { serveView, type ServedView } from "./serve.js";

export interface OpenedPage {
  readonly page: Page;
  /** Errors that the page threw or wrote to its console so far. */
  readonly complaints: string[];
}

/**
 * A browser and the views' server for the tests of a file: `open` takes a page's path and query, and the page goes with
 * its test.
 */
export function viewPages(executablePath: string): {
  readonly open: (path: string, viewport?: { readonly width: number; readonly height: number }) => Promise<OpenedPage>;
} {
  let served: ServedView;
  let browser: Browser;
  const pages: Page[] = [];
  beforeAll(async () => {
    served = await serveView();
    browser = await chromium.launch({
      executablePath,
      args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
    });
  });
  afterAll(async () => {
    await browser.close();
    await served.close();
  });
  afterEach(async () => {
    for (const page of pages.splice(0)) await page.close();
  });
  return {
    open: async (path, viewport = { width: 1400, height: 900 }) => {
      const page = await browser.newPage({ viewport });
      page.setDefaultTimeout(60_000);
      pages.push(page);
      const complaints: string[] = [];
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error") complaints.push(message.text());
      });
      await page.goto(`${served.url}${path}`);
      return { page, complaints };
    },
  };
}
