import { expect, it, vi } from "vitest";

const { sinks, rows } = vi.hoisted(() => {
  const rows: string[] = [];
  const named = (items: readonly { readonly label: string }[]) => void rows.push(...items.map(({ label }) => label));
  const event = () => ({ dispose: () => undefined });
  const pick = { onDidTriggerButton: event, onDidAccept: event, show: () => undefined, dispose: () => undefined };
  const sinks = {
    pickOne: (items: readonly { readonly label: string }[]) => Promise.resolve(named(items)),
    createPickList: () => ({
      pick: { ...pick, onDidHide: (hidden: () => void) => hidden() },
      setRows: named,
      setTitle: () => undefined,
    }),
  };
  return { sinks, rows };
});
vi.mock("vscode", () => ({
  ThemeIcon: class {},
  QuickPickItemKind: { Separator: -1 },
  workspace: { asRelativePath: (file: string) => file },
}));
vi.mock("../../../src/extension/sinks.js", () => sinks);
const { chooseRun, chooseRuns } = await import("../../../src/extension/compare/choose.js");

const file = (name: string) => ({ path: name, modified: 1, bytes: 1 });
const folder = (directory: string) => ({
  directory,
  modified: 1,
  files: ["json", "parquet"].map((kind) => file(`${directory}/server_metrics_export.${kind}`)),
});

it("a capture that has been written is offered once", async () => {
  const parts = {
    artifacts: () => Promise.resolve(["/r/mon", "/r/tue", "/r/wed"].map(folder)),
    capture: () => Promise.resolve({ path: "/r/tue/server_metrics_export.parquet", label: "capture of 12:43" }),
  };
  await chooseRuns(parts, "Compare Runs");
  expect(rows.splice(0)).toEqual(["capture of 12:43", "mon", "wed"]);
  await chooseRun(parts, {
    title: "Compare mon with…",
    near: "/r/mon/x",
    without: folder("/r/mon").files.map((f) => f.path),
  });
  expect(rows.filter((label) => ["mon", "tue", "wed"].includes(label))).toEqual(["wed"]);
  expect(rows).toContain("capture of 12:43");
});
