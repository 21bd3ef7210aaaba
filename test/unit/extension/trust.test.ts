import { beforeEach, expect, it, vi } from "vitest";

const { vscode, calls } = vi.hoisted(() => {
  const calls: unknown[] = [];
  const vscode = {
    workspace: { isTrusted: false },
    window: {
      showWarningMessage: (message: string, _options: unknown, ...buttons: string[]) => {
        calls.push(message);
        return Promise.resolve(vscode.pressed ? buttons[0] : undefined);
      },
    },
    commands: { executeCommand: (id: string) => Promise.resolve(calls.push(id)) },
    pressed: true,
    MarkdownString: class {},
    TreeItem: class {},
    ProgressLocation: {},
  };
  return { vscode, calls };
});
vi.mock("vscode", () => vscode);
const { mayCapture } = await import("../../../src/extension/origins.js");

beforeEach(() => calls.splice(0));

it("a capture begins in a trusted workspace without a question", async () => {
  vscode.workspace.isTrusted = true;
  expect(await mayCapture()).toBe(true);
  expect(calls).toEqual([]);
});

it.each([
  [true, ["This workspace is not trusted.", "workbench.trust.manage"]],
  [false, ["This workspace is not trusted."]],
])("a capture asks for trust before it begins in another one (answered: %s)", async (pressed, expected) => {
  vscode.workspace.isTrusted = false;
  vscode.pressed = pressed;
  expect(await mayCapture()).toBe(false);
  expect(calls).toEqual(expected);
});
