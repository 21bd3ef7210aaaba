import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { expect, it, vi } from "vitest";
import { PAGES } from "../../../src/extension/documentation.js";
import { ROOT } from "../../support/repository-files.js";

vi.mock("vscode", () => ({}));

it("openDocumentation offers every page of the documentation by its heading", async () => {
  const folder = path.join(ROOT, "docs");
  const headings = await Promise.all(
    (await readdir(folder))
      .filter((name) => name.endsWith(".md"))
      .map(async (file) => {
        const [, label] = /^# (.+)$/m.exec(await readFile(path.join(folder, file), "utf8")) ?? [];
        return { file, label };
      }),
  );
  const byFile = (a: { readonly file: string }, b: { readonly file: string }) => a.file.localeCompare(b.file);
  expect(PAGES.map(({ file, label }) => ({ file, label })).sort(byFile)).toEqual(headings.sort(byFile));
});
