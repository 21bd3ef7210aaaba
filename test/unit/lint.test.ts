import { ESLint, Linter } from "eslint";
import tseslint from "typescript-eslint";
import { describe, expect, it } from "vitest";
import { root } from "../workbench/project.mjs";

/** What the rules about raw calls say of code, as if it stood in this file. */
async function said(file: string, code: string): Promise<readonly string[]> {
  const config: unknown = await new ESLint({ cwd: root }).calculateConfigForFile(file);
  const { rules } = config as { readonly rules: Linter.RulesRecord };
  const names = ["no-restricted-syntax", "no-restricted-imports", "no-console"];
  const messages = new Linter().verify(
    code,
    {
      files: ["**/*.{ts,tsx}"],
      languageOptions: {
        parser: tseslint.parser,
        parserOptions: { ecmaFeatures: { jsx: true }, sourceType: "module" },
      },
      rules: Object.fromEntries(names.map((name) => [name, rules[name] ?? "off"])),
    },
    file,
  );
  for (const { fatal, message } of messages) expect(fatal, message).not.toBe(true);
  return messages.map(({ message }) => message);
}

describe("lint forbids to show text otherwise than through what makes it harmless", () => {
  it.each([
    "window.showInformationMessage(text)",
    "window.showWarningMessage(text, { modal: true })",
    "window.showErrorMessage(text)",
    "vscode.window.showErrorMessage(text)",
    "const { showErrorMessage } = window",
    'window["showErrorMessage"](text)',
    "window[`showErrorMessage`](text)",
    "const show = window.showErrorMessage",
    "window.setStatusBarMessage(text)",
    "window.withProgress({ title: text }, work)",
    "window.showQuickPick(items)",
    "window.createQuickPick()",
    "window.showInputBox({ prompt: text })",
    "window.createInputBox()",
    "window.createStatusBarItem(1)",
    "window.createOutputChannel(text)",
    "window.createTerminal(text)",
    "window.createTextEditorDecorationType({})",
    "languages.createDiagnosticCollection()",
    "languages.registerHoverProvider(selector, provider)",
    "languages.registerCodeLensProvider(selector, provider)",
    "new MarkdownString(text)",
    "new vscode.MarkdownString(text)",
    "new TreeItem(text)",
    "new vscode.TreeItem(text)",
    "class Row extends TreeItem {}",
    "panel.title = text",
    "view.message = text",
    "view.description = text",
    "view.badge = { tooltip: text, value: 1 }",
    "item.label = text",
    "item.tooltip = text",
    "item.detail = text",
    "item.text = text",
    "box.prompt = text",
    "box.placeholder = text",
    "box.validationMessage = text",
  ])("in the workbench: %s", async (code) => {
    expect(await said("src/extension/view/page.ts", code)).not.toEqual([]);
    expect(await said("src/extension/workbench-text.ts", code)).toEqual([]);
  });

  it.each([
    "process.stdout.write(text)",
    "process.stderr.write(text)",
    "stdout.write(text)",
    "writeSync(1, text)",
    "fs.writeSync(2, text)",
    "fs.writeFileSync(1, text)",
  ])("in a terminal: %s", async (code) => {
    expect(await said("src/cli/commands/show.ts", code)).not.toEqual([]);
    expect(await said("src/cli/print/terminal.ts", code)).toEqual([]);
  });

  it.each([
    'import { open } from "node:fs/promises"',
    'import { readFile as get } from "node:fs/promises"',
    'import { createReadStream } from "node:fs"',
    'import { readFileSync } from "fs"',
    'import fs from "node:fs"',
    'import { promises } from "node:fs"',
    'import * as fs from "node:fs/promises"',
  ])("that of files nobody named: %s", async (code) => {
    for (const file of [
      "src/cli/commands/show.ts",
      "src/files/open/client.ts",
      "src/agents/folder.ts",
      "src/extension/main.ts",
    ])
      expect(await said(file, code)).not.toEqual([]);
    expect(await said("src/files/opener.ts", code)).toEqual([]);
  });

  it("in a terminal: console.log", async () => {
    expect(await said("src/cli/commands/show.ts", "console.log(text)")).not.toEqual([]);
  });

  it.each([
    "element.innerHTML = text",
    'element["innerHTML"] = text',
    "element.outerHTML = text",
    'element.insertAdjacentHTML("beforeend", text)',
    "<p dangerouslySetInnerHTML={{ __html: text }} />",
    "<iframe srcDoc={text} />",
    "frame.srcdoc = text",
    "range.createContextualFragment(text)",
    'parser.parseFromString(text, "text/html")',
    "element.setHTMLUnsafe(text)",
  ])("in a page: %s", async (code) => {
    expect(await said("webview-ui/run-view.tsx", code)).not.toEqual([]);
  });

  it.each([
    ["src/extension/view/page.ts", 'throw new UserError("No run is open.")'],
    ["src/extension/view/page.ts", "parts.notifier.info(`Saved to ${path}.`)"],
    ["src/extension/view/page.ts", 'pickOne(rows, { placeHolder: "Choose a run" })'],
    ["webview-ui/run-view.tsx", "<p>Nothing was captured.</p>"],
    ["webview-ui/run-view.tsx", '<button title="Remove" />'],
    ["webview-ui/run-view.tsx", "<button aria-label={`Remove ${name}`} />"],
  ])("that no translation reaches: %s, %s", async (file, code) => {
    expect(await said(file, code)).toEqual([expect.stringContaining("go through t")]);
    const translated = code.replace(/(".*"|`.*`)/, "t($1)").replace(/=(t\(.*?\)) /, "={$1} ");
    expect(await said(file, translated.replace(/>([^<{]+)</, ">{t('$1')}<"))).toEqual([]);
  });

  it("and lets the calls of those pass", async () => {
    const code =
      'import { type TreeItem } from "vscode"; let item: TreeItem; showError(text); treeItem(row); note(text);';
    for (const file of ["src/extension/view/page.ts", "src/cli/commands/show.ts", "webview-ui/run-view.tsx"])
      expect(await said(file, code)).toEqual([]);
  });
});
