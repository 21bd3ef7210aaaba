import { rm } from "node:fs/promises";
import { afterAll, beforeEach, onTestFailed } from "vitest";
import { screenshot, type Workbench } from "./driver.js";

/** What a test file has opened; unset where opening it has failed. */
export interface Opened {
  readonly workbench: Workbench | undefined;
  /** Removed at the end. */
  readonly folder?: string | undefined;
}

/** Closes the workbench and removes its folder after the tests of this block; one that fails leaves a picture. */
export function tidied(opened: () => Opened): void {
  beforeEach(({ task }) => {
    onTestFailed(async () => {
      const { workbench } = opened();
      if (workbench !== undefined) await screenshot(workbench.page, `failed ${task.name}`);
    });
  });
  afterAll(async () => {
    const { workbench, folder } = opened();
    await workbench?.dispose();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  });
}
