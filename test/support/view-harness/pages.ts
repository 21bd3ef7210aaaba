import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import { serveView, type ServedView } from "./serve.js";

export interface OpenedPage {
  readonly page: Page;
  /** Errors that the page threw or wrote to its console so far. */
  readonly complaints: string[];
}

/**
 * A browser and the views' server for the tests of a file, with one page at a time: `open` takes its path and query,
 * and the page goes with its test.
 */
export function viewPages(executablePath: string): { readonly open: (path: string) => Promise<OpenedPage> } {
  let served: ServedView;
  let browser: Browser;
  let opened: OpenedPage | undefined;
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
    await opened?.page.close();
    opened = undefined;
  });
  return {
    open: async (path) => {
      const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
      page.setDefaultTimeout(60_000);
      opened = { page, complaints: [] };
      const { complaints } = opened;
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error") complaints.push(message.text());
      });
      await page.goto(`${served.url}${path}`);
      return opened;
    },
  };
}
