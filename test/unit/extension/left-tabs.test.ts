import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { LeftTabs as Class } from "../../../src/extension/view/left-tabs.js";
import { memento } from "../../support/memento.js";

const { vscode, panels, open, fire } = vi.hoisted(() => {
  class TabInputWebview {
    constructor(readonly viewType: string) {}
  }
  class TabInputCustom {
    constructor(
      readonly uri: string,
      readonly viewType: string,
    ) {}
  }
  const groups: { viewColumn: number; tabs: object[]; activeTab: object | undefined }[] = [];
  const panels: { title: string; viewColumn: number; dispose: () => void }[] = [];
  /** Tabs that can be closed. */
  const open = new Set<object>();
  let listener: (event: object) => void = () => undefined;
  const vscode = {
    TabInputWebview,
    TabInputCustom,
    window: {
      createWebviewPanel: (viewType: string, title: string, { viewColumn }: { viewColumn: number }) => {
        const made = { viewType, title, viewColumn, visible: true, onDidDispose: () => undefined, dispose: vi.fn() };
        panels.push(made);
        return made;
      },
      registerWebviewPanelSerializer: () => ({ dispose: () => undefined }),
      tabGroups: {
        close: (tab: object) => Promise.resolve(open.has(tab)),
        all: groups,
        onDidChangeTabs: (heard: typeof listener) => {
          listener = heard;
          return { dispose: () => undefined };
        },
      },
    },
  };
  return { vscode, panels, open, fire: (event: object) => listener(event) };
});
vi.mock("vscode", () => vscode);
const { LeftTabs } = await import("../../../src/extension/view/left-tabs.js");
const { OpenPanels } = await import("../../../src/extension/view/left-tabs.js");

const groups = vscode.window.tabGroups.all;
const COMPARISON = "serverMetrics.comparison";
const comparison = (label: string) => ({
  label,
  isActive: true,
  input: new vscode.TabInputWebview(`mainThreadWebview-${COMPARISON}`),
});
/** A panel as the workbench gives it to the host that made it. */
const panel = (title: string) => {
  const listeners: (() => void)[] = [];
  return {
    title,
    visible: true,
    viewColumn: 1,
    onDidDispose: (listener: () => void) => listeners.push(listener),
    close: () => listeners.forEach((listener) => listener()),
  };
};
const show = (tab: object, others: readonly object[] = []) => {
  groups.splice(0, groups.length, { viewColumn: 1, tabs: [tab, ...others], activeTab: tab });
};

let tabs: Class;
let replaced: unknown[];
const begin = () => {
  tabs = new LeftTabs();
  tabs.replace(COMPARISON, (tab) => replaced.push(tab));
  tabs.replace("serverMetrics.run", (tab) => replaced.push(tab));
};
beforeEach(() => {
  vi.useFakeTimers();
  replaced = [];
  begin();
});
afterEach(() => {
  tabs.dispose();
  vi.useRealTimers();
});
const look = () => vi.advanceTimersByTimeAsync(10_000);

it("a tab that no panel of this host is behind is replaced, those out of sight when they come into it", async () => {
  const [a, b] = [comparison("Compare: a"), comparison("Compare: b")];
  show(a, [b]);
  await look();
  expect(replaced).toEqual([a]);
  show(b);
  fire({ opened: [], changed: [b] });
  await look();
  expect(replaced).toEqual([a, b]);
});

it("an editor of a file is told by its file and kind", async () => {
  const editor = {
    label: "x.jsonl",
    isActive: true,
    input: new vscode.TabInputCustom("file:///x.jsonl", "serverMetrics.run"),
  };
  show(editor);
  await look();
  expect(replaced).toEqual([editor]);
});

it("neither tabs of this host are replaced, nor those that came later, nor those of others", async () => {
  const own = comparison("Compare: own");
  show(own);
  tabs.add(panel("Compare: own") as never);
  await look();
  groups.splice(0);
  const later = comparison("Compare: later");
  show(later);
  fire({ opened: [later], changed: [] });
  const other = { label: "x", isActive: true, input: new vscode.TabInputWebview("mainThreadWebview-markdown.preview") };
  groups.push({ viewColumn: 2, tabs: [other], activeTab: other });
  await look();
  expect(replaced).toEqual([]);
});

it("a panel in the place of a tab has its title; of a tab that is gone meanwhile, none is left", async () => {
  const restored: unknown[] = [];
  tabs.restore(COMPARISON, (made) => restored.push(made));
  const group = { viewColumn: 1, isActive: true };
  const [a, gone] = [
    { ...comparison("Compare: a ↔ b"), group },
    { ...comparison("Compare: gone"), group },
  ];
  open.add(a);
  for (const tab of [a, gone]) {
    show(tab, [a, gone]);
    fire({ opened: [], changed: [tab] });
    await look();
  }
  expect(panels.map(({ title, viewColumn }) => [title, viewColumn])).toEqual([
    ["Compare: a ↔ b", 1],
    ["Compare: gone", 1],
  ]);
  expect(restored).toEqual([panels[0]]);
  expect(panels[0]?.dispose).not.toHaveBeenCalled();
  expect(panels[1]?.dispose).toHaveBeenCalledOnce();
});

it("what panels show is known to the next host by their titles, for each once, and forgotten when they are closed", () => {
  const memory = memento();
  const open = () => new OpenPanels(memory, "open");
  const first = open();
  const [a, b, closed] = [panel("Compare"), panel("Compare: a ↔ b"), panel("Compare: c ↔ d")];
  first.keep(a as never, 1);
  first.keep(b as never, 2);
  first.keep(closed as never, 3);
  a.title = "Compare: a ↔ b";
  first.keep(a as never, 4);
  closed.close();

  const second = open();
  expect(second.take("Compare")).toBeUndefined();
  expect(second.take("Compare: c ↔ d")).toBeUndefined();
  expect([second.take("Compare: a ↔ b"), second.take("Compare: a ↔ b")].sort()).toEqual([2, 4]);
  expect(second.take("Compare: a ↔ b")).toBeUndefined();
});
