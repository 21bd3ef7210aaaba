import type { AxeResults, RunOptions } from "axe-core";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export interface OpenedReport {
  readonly page: Page;
  /** What the page asked anybody for, besides itself. */
  readonly requests: string[];
  /** Errors that the page threw or wrote to its console: also what its policy stopped. */
  readonly complaints: string[];
}

/** A browser that opens reports from disk, without a network. */
export function reportPages(executablePath: string): {
  readonly open: (file: string, colorScheme?: "light" | "dark") => Promise<OpenedReport>;
} {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--no-first-run"] });
  });
  afterAll(() => browser.close());
  return {
    open: async (file, colorScheme = "light") => {
      const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, colorScheme, offline: true });
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      const opened: OpenedReport = { page, requests: [], complaints: [] };
      const url = pathToFileURL(file).href;
      page.on("request", (request) => {
        if (request.url() !== url) opened.requests.push(request.url());
      });
      page.on("pageerror", (error) => opened.complaints.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error") opened.complaints.push(message.text());
      });
      await page.goto(url);
      await page.locator("main").waitFor();
      return opened;
    },
  };
}

/** What axe finds by WCAG 2.2 AA, a line a rule. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  const options: RunOptions = {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    resultTypes: ["violations"],
  };
  // Put there by the debugger, which no policy of the page holds for.
  const { violations } = await page
    .evaluate(`${AXE}; axe.run(document, ${JSON.stringify(options)})`)
    .then((result) => result as AxeResults);
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .map(({ html }) => html.slice(0, 120))
        .slice(0, 3)
        .join(" | ")}`,
  );
}
