import path from "node:path";
import { expect, it, vi } from "vitest";
import { makeFolder } from "../../../src/files/index.js";

const limit = vi.hoisted(() => ({ pass: (): void => undefined }));

vi.mock("node:fs/promises", async (original) => ({
  ...(await original<object>()),
  // As of a network folder whose server is gone.
  mkdir: () => new Promise(() => undefined),
}));
vi.mock("node:timers/promises", () => ({
  setTimeout: () => new Promise<void>((resolve) => (limit.pass = resolve)),
}));

it("a folder whose disk never answers is an error once its time is up", async () => {
  const folder = path.join(import.meta.dirname, "none");
  const made = makeFolder(folder);
  limit.pass();
  await expect(made).rejects.toThrow(`${folder} does not respond: it could not be created within 10 s.`);
});
