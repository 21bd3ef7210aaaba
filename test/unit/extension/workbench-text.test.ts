import { readFileSync } from "node:fs";
import path from "node:path";
import { Linter } from "eslint";
import tseslint from "typescript-eslint";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { UserError } from "../../../src/core/text/errors.js";
import { sourceFiles } from "../../support/imports.js";

const { shown, vscode } = vi.hoisted(() => {
  const shown: unknown[] = [];
  const record =
    (name: string) =>
    (...given: unknown[]) => {
      shown.push([name, ...given]);
      return Promise.resolve(undefined);
    };
  class TreeItem {
    constructor(
      readonly label: string,
      readonly collapsibleState: number,
    ) {}
  }
  class MarkdownString {
    isTrusted: boolean | undefined;
    supportHtml: boolean | undefined;
    constructor(
      readonly value: string,
      readonly supportThemeIcons: boolean,
    ) {}
  }
  const boxes: Record<string, unknown>[] = [];
  const box = () => {
    const one: Record<string, unknown> = { dispose: () => undefined };
    boxes.push(one);
    shown.push(one);
    return one;
  };
  const log = Object.fromEntries(
    ["trace", "debug", "info", "warn", "error", "show", "dispose"].map((name) => [name, record(name)]),
  );
  const vscode = {
    TreeItem,
    MarkdownString,
    ProgressLocation: { Notification: 15 },
    window: {
      showInformationMessage: record("information"),
      showWarningMessage: record("warning"),
      showErrorMessage: record("error"),
      setStatusBarMessage: record("flash"),
      showQuickPick: record("pick"),
      withProgress: (options: unknown, work: (progress: unknown, token: unknown) => unknown) => {
        shown.push(options);
        const token = { onCancellationRequested: () => undefined };
        return work({ report: (step: unknown) => shown.push(step) }, token);
      },
      createQuickPick: box,
      createInputBox: () => {
        const one = inputBox(() => BODY);
        shown.push(one);
        return one;
      },
      createStatusBarItem: box,
      createOutputChannel: () => log,
    },
  };
  return { shown, vscode };
});
vi.mock("vscode", () => vscode);
const { inputBox } = await import("../../support/input-box.js");

const { default: config } = (await import(new URL("../../../eslint.config.mjs", import.meta.url).href)) as {
  default: Linter.Config[];
};
const sinks = await import("../../../src/extension/workbench-text.js");
const { Notifier } = await import("../../../src/extension/notify.js");

/** What a hostile endpoint answers with HTTP 500. */
const BODY = "[Show how to repair it](command:workbench.action.quickOpen?%22x%22)";
const HOSTILE = `${BODY} $(zap) \u001b[31m\u202e`;

beforeEach(() => shown.splice(0));

describe("what the workbench is given to show", () => {
  it("has no link, icon or control character of an endpoint in any place", async () => {
    const { showInformation, showWarning, showError, confirm, flashStatus, showProgress } = sinks;
    await showInformation(HOSTILE, "OK");
    await showWarning(HOSTILE);
    await showError(HOSTILE);
    await confirm(HOSTILE, HOSTILE, "Do");
    flashStatus("check", HOSTILE, 1);
    await showProgress(HOSTILE, (report) => {
      report(HOSTILE, 1);
      return Promise.resolve();
    });
    const row = { icon: "add", label: HOSTILE, description: HOSTILE, detail: HOSTILE };
    await sinks.pickOne([row], { title: HOSTILE, placeHolder: HOSTILE });
    await sinks.pickMany([row], { title: HOSTILE });
    const list = sinks.createPickList(HOSTILE, HOSTILE);
    list.setRows([row]);
    list.setTitle(HOSTILE);
    void sinks.askText({ title: HOSTILE, prompt: HOSTILE, placeholder: HOSTILE, validate: () => HOSTILE });
    const status = sinks.createStatus("id", 1, 1);
    status.set({ icon: "record", text: HOSTILE, tooltip: HOSTILE, spoken: HOSTILE });
    const panel = { title: "" };
    sinks.setPanelTitle(panel, HOSTILE);
    shown.push(panel, sinks.treeItem({ label: HOSTILE, description: HOSTILE, tooltip: "", state: 0 }));
    sinks.createLog("x").error(HOSTILE);
    for (const { text } of strings(shown)) expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
    const labels = strings(shown).filter(({ key }) => /^(label|description|detail|text)$/.test(key));
    expect(labels.length).toBeGreaterThan(10);
    // Our own icons stand in front.
    for (const { text } of labels) expect(text.replace(/^\$\((add|record)\) /, "")).not.toContain("$(");
    const linked = strings(shown).filter(({ key }) => /^(prompt|placeholder|validationMessage|message)$/i.test(key));
    expect(linked.length).toBeGreaterThan(5);
    const notified = shown.slice(0, 4).flatMap((one) => strings(one));
    for (const { text } of [...linked, ...notified]) expect(text).not.toContain("](");
  });

  it("asks about what was typed without its links", () => {
    void sinks.askText({ title: "t", prompt: "p", validate: (text) => `"${text}" is not a URL` });
    expect(shown[0]).toMatchObject({
      validationMessage: '"[Show how to repair it] (command:workbench.action.quickOpen?%22x%22)" is not a URL',
    });
  });

  it("shows the error body of an endpoint without its link, wherever the error comes from", () => {
    const notifier = new Notifier(sinks.createLog("x"));
    notifier.error(new UserError(`gpu-1 answered with HTTP 500 ("${BODY}")`, undefined, { code: "nothing-reachable" }));
    const message = shown.find((one) => Array.isArray(one) && one[0] === "error" && one.length > 2);
    expect(message).toEqual([
      "error",
      'gpu-1 answered with HTTP 500 ("[Show how to repair it] (command:workbench.action.quickOpen?%22x%22)").',
      "Show Log",
    ]);
  });

  it("is Markdown only in a tooltip that trusts nothing", async () => {
    const { markdown } = await import("../../../src/core/text/index.js");
    const status = sinks.createStatus("id", 1, 1);
    status.set({ icon: "record", text: "x", tooltip: markdown`**${BODY}**`, spoken: "x" });
    const { tooltip } = shown[0] as { tooltip: { value: string; isTrusted: boolean; supportHtml: boolean } };
    expect(tooltip).toMatchObject({ isTrusted: false, supportHtml: false });
    expect(tooltip.value).toMatch(/^\*\*\\\[Show how to repair it\\\]\\\(command\\:/);
  });
});

describe("the lint rule", () => {
  const rules = (file: string): Linter.Config[] => [
    {
      files: ["**/*.{ts,tsx}"],
      languageOptions: { parser: tseslint.parser, parserOptions: { ecmaFeatures: { jsx: true } } },
    },
    ...config
      .filter(
        ({ rules, files }) =>
          rules?.["no-restricted-syntax"] !== undefined &&
          files?.some((one) => file.startsWith(String(one).split("/*")[0] ?? "")),
      )
      .map(({ files, ignores, rules }) => ({
        files: files ?? [],
        ...(ignores === undefined ? {} : { ignores }),
        rules: { "no-restricted-syntax": rules?.["no-restricted-syntax"] ?? "off" },
      })),
  ];
  const complaints = (code: string, file: string) =>
    new Linter({ cwd: path.resolve(import.meta.dirname, "../../..") })
      .verify(code, rules(file), { filename: file })
      .map(({ message }) => message);

  it.each([
    "window.showErrorMessage(x);",
    "vscode.window.showWarningMessage(x);",
    'window["showInformationMessage"](x);',
    "const { showQuickPick } = window;",
    "new MarkdownString(x);",
    "new TreeItem(x);",
    "new vscode.TreeItem(x);",
    "panel.title = x;",
    "item.tooltip = x;",
    "box.prompt = x;",
    "window.createOutputChannel(x);",
    "window.withProgress(x);",
  ])("forbids %s", (code) => {
    expect(complaints(code, "src/extension/some/file.ts")).not.toEqual([]);
    expect(complaints(code, "src/extension/workbench-text.ts")).toEqual([]);
  });

  it("forbids HTML made of text in pages", () => {
    expect(complaints("element.innerHTML = x;", "webview-ui/a.ts")).not.toEqual([]);
    expect(complaints("const a = <p dangerouslySetInnerHTML={{ __html: x }} />;", "webview-ui/a.tsx")).not.toEqual([]);
  });

  it("is switched off nowhere", () => {
    const root = path.resolve(import.meta.dirname, "../../..");
    for (const file of sourceFiles(root, ["src/extension", "webview-ui"]))
      expect(readFileSync(path.join(root, file), "utf8")).not.toMatch(/eslint-disable.*no-restricted-syntax/);
  });
});

function strings(value: unknown, key = ""): readonly { readonly key: string; readonly text: string }[] {
  if (typeof value === "string") return [{ key, text: value }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => strings(part, name));
}
