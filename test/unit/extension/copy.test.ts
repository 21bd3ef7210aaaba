import { beforeEach, expect, it, vi } from "vitest";

const { vscode, settings, copied } = vi.hoisted(() => {
  const settings = new Map<string, unknown>();
  const copied: string[] = [];
  const vscode = {
    workspace: {
      getConfiguration: () => ({ get: (key: string, byDefault: unknown) => settings.get(key) ?? byDefault }),
    },
    window: { setStatusBarMessage: () => ({ dispose: () => undefined }) },
    env: { clipboard: { writeText: (text: string) => Promise.resolve(void copied.push(text)) } },
    Uri: {},
    MarkdownString: class {},
    TreeItem: class {},
    ProgressLocation: {},
  };
  return { vscode, settings, copied };
});
vi.mock("vscode", () => vscode);
const { copyForPage } = await import("../../../src/extension/view/page.js");

const ROW = { text: "=1+1,4\r\n", safeText: "'=1+1,4\r\n", what: "1 row" };

beforeEach(() => {
  settings.clear();
  copied.splice(0);
});

it("the copy command copies rows as they are, and without formulas where the setting says so", async () => {
  await copyForPage(ROW);
  settings.set("serverMetrics.csvSafe", true);
  await copyForPage(ROW);
  expect(copied).toEqual([ROW.text, ROW.safeText]);
});

it("the copy command copies text without a second form as it is", async () => {
  settings.set("serverMetrics.csvSafe", true);
  await copyForPage({ text: "=SELECT", what: "query" });
  expect(copied).toEqual(["=SELECT"]);
});
