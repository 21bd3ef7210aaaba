import { rm } from "node:fs/promises";
import { afterAll, beforeEach, onTestFailed } from "vitest";
import { screenshot, type Workbench } from "./driver.js";

/** What a test file has opened; unset where opening it has failed. */
export interface Opened {
  readonly workbench: Workbench | undefined;
  /** Removed at the end. */
  readonly folder?: string | undefined;
}

/**
 * Closes the workbench and removes its folder after the tests of this block; one that fails leaves a picture. Those
 * after it are left out: they build on it, and each would wait for what does not come.
 */
export function tidied(opened: () => Opened): void {
  let failed: string | undefined;
  beforeEach(({ task, skip }) => {
    if (failed !== undefined) skip(`"${failed}" has failed`);
    onTestFailed(async () => {
      failed ??= task.name;
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
