import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Captures } from "../../../src/extension/capture/captures.js";
import type { Notifier } from "../../../src/extension/notify.js";
import { familySummary } from "../../support/family-summary.js";
import { endpointStatus, runHeader } from "../../support/run-header.js";

const { vscode, view } = vi.hoisted(() => {
  const quiet = { dispose: () => undefined };
  class EventEmitter {
    private readonly listeners: (() => void)[] = [];
    readonly event = (listener: () => void) => {
      this.listeners.push(listener);
      return quiet;
    };
    readonly fire = () => this.listeners.forEach((listener) => listener());
    readonly dispose = () => undefined;
  }
  const seen = new EventEmitter();
  const view = { visible: true, show: seen.fire, onDidChangeVisibility: seen.event, ...quiet };
  const vscode = {
    EventEmitter,
    Disposable: { from: () => quiet },
    MarkdownString: class {},
    ProgressLocation: {},
    ThemeColor: class {},
    ThemeIcon: class {},
    TreeItem: class {
      constructor(readonly label: string) {}
    },
    TreeItemCollapsibleState: { None: 0, Collapsed: 1, Expanded: 2 },
    window: { createTreeView: () => view },
  };
  return { vscode, view };
});
vi.mock("vscode", () => vscode);
const { CaptureTree } = await import("../../../src/extension/tree/capture-tree.js");

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const endpoint = endpointStatus("http://a:1/metrics");

it("the tree of a capture is drawn anew at most once a second, and not while it is hidden", async () => {
  const changed = new vscode.EventEmitter();
  const run = {
    header: runHeader({ state: "capturing", endpoints: [endpoint] }),
    families: [familySummary("f")],
    engine: { client: { call: () => Promise.resolve([]) } },
  };
  const captures = { latest: run, onDidChange: changed.event } as unknown as Captures;
  const notifier = { run: (work: Promise<void>) => work } as unknown as Notifier;
  const tree = new CaptureTree(captures, notifier);
  let draws = 0;
  tree.onDidChangeTreeData(() => draws++);
  const report = async (milliseconds: number) => {
    changed.fire();
    await vi.advanceTimersByTimeAsync(milliseconds);
  };

  await report(0);
  expect(draws).toBe(1);
  const [row] = await tree.getChildren();
  expect(tree.getTreeItem(row!)).toMatchObject({ id: row!.id, label: "a:1" });

  for (let i = 0; i < 8; i++) await report(100);
  expect(draws).toBe(1);
  await report(300);
  expect(draws).toBe(2);

  view.visible = false;
  await report(3000);
  expect(draws).toBe(2);
  view.visible = true;
  view.show();
  await vi.advanceTimersByTimeAsync(1000);
  expect(draws).toBe(3);
});
