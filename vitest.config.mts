import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { defineConfig } from "vitest/config";
import { STORES } from "./test/workbench/stores.mjs";

const UNIT = path.join(import.meta.dirname, "test/unit");
/** Files that put others in the place of modules, and so share no process with those that have the real ones. */
const MOCKING = readdirSync(UNIT, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.test\.tsx?$/.test(name) && readFileSync(path.join(UNIT, name), "utf8").includes("vi.mock("))
  .map((name) => `test/unit/${name.replaceAll("\\", "/")}`);
const ofUnits = { testTimeout: 60_000, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    setupFiles: ["test/support/own-cache.ts"],
    env: {
      // Stores that the system does not have were fetched.
      PATH: [process.env["PATH"] ?? "", STORES].join(path.delimiter),
    },
    // What a page or an engine shows in the end: a second, the default, is short on a busy machine.
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          ...ofUnits,
          name: "unit",
          include: ["test/unit/**/*.test.{ts,tsx}"],
          exclude: MOCKING,
          // A process for each file would take a quarter of the time.
          isolate: false,
        },
      },
      { extends: true, test: { ...ofUnits, name: "unit-mocking", include: MOCKING } },
      {
        extends: true,
        test: {
          name: "integration",
          include: ["test/integration/**/*.test.ts"],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: "pictures",
          include: ["test/pictures/**/*.test.ts"],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
