import { describe, it } from "vitest";
import { findChromium, HOW_TO_GET_CHROMIUM } from "../workbench/chromium.mjs";

/**
 * A suite in a real browser; `define` registers its tests and gets the browser's path. Where Chromium is missing there
 * is one test that says so: skipped, or with CI=true failed.
 */
export async function describeInChromium(name: string, define: (executablePath: string) => void): Promise<void> {
  const executablePath = await findChromium();
  describe(name, () => {
    if (executablePath !== undefined) {
      define(executablePath);
      return;
    }
    it(`skipped: ${HOW_TO_GET_CHROMIUM}`, ({ skip }) => {
      if (process.env["CI"] === "true") throw new Error(HOW_TO_GET_CHROMIUM);
      skip(HOW_TO_GET_CHROMIUM);
    });
  });
}
