import { expect, it, vi } from "vitest";

const { sinks, rows, dialogs, user, showOpenDialog } = vi.hoisted(() => {
  const rows: string[] = [];
  const named = (items: readonly { readonly label: string }[]) => void rows.push(...items.map(({ label }) => label));
  const dialogs: string[] = [];
  /** What the user chooses in the list, by label; undefined: leaves it. */
  const user: { choice: readonly string[] | undefined } = { choice: undefined };
  const sinks = {
    createPickList: () => {
      let items: readonly { readonly label: string }[] = [];
      let accept = () => undefined as void;
      let hide = () => undefined as void;
      const pick = {
        get selectedItems() {
          return items.filter(({ label }) => user.choice?.includes(label));
        },
        onDidAccept: (accepted: () => void) => (accept = accepted),
        onDidHide: (hidden: () => void) => (hide = hidden),
        show: () => (user.choice === undefined ? hide() : accept()),
        dispose: () => undefined,
      };
      return { pick, setRows: (all: typeof items) => named((items = all)), setTitle: () => undefined };
    },
  };
  const showOpenDialog = ({ title }: { readonly title: string }) => {
    dialogs.push(title);
    return Promise.resolve([{ scheme: "file", fsPath: "/elsewhere/other.parquet" }]);
  };
  return { sinks, rows, dialogs, user, showOpenDialog };
});
vi.mock("vscode", () => ({
  ThemeIcon: class {},
  QuickPickItemKind: { Separator: -1 },
  window: { showOpenDialog },
  workspace: { asRelativePath: (file: string) => file },
}));
vi.mock("../../../src/extension/workbench-text.js", () => sinks);
const { chooseRuns } = await import("../../../src/extension/compare/choose.js");

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
  await chooseRuns(parts, { title: "Compare Runs", several: true });
  expect(rows.splice(0)).toEqual([
    "Capture",
    "capture of 12:43",
    "In this workspace, the newest first",
    "mon",
    "wed",
    "",
    "Browse…",
  ]);
  await chooseRuns(parts, {
    title: "Compare mon with…",
    near: "/r/mon/x",
    without: folder("/r/mon").files.map((f) => f.path),
  });
  expect(rows.filter((label) => ["mon", "tue", "wed"].includes(label))).toEqual(["wed"]);
  expect(rows).toContain("capture of 12:43");
});

it("a written capture that is the only run is listed, with files anywhere to choose beside it", async () => {
  rows.splice(0);
  const capture = { path: "/r/tue/server_metrics_export.parquet", label: "capture of 12:43" };
  const parts = { artifacts: () => Promise.resolve([folder("/r/tue")]), capture: () => Promise.resolve(capture) };
  expect(await chooseRuns(parts, { title: "Compare Runs", several: true })).toBeUndefined();
  expect(rows.splice(0)).toEqual(["Capture", "capture of 12:43", "", "Browse…"]);
  expect(dialogs).toEqual([]);
  user.choice = ["capture of 12:43", "Browse…"];
  expect(await chooseRuns(parts, { title: "Compare Runs", several: true })).toEqual([
    capture,
    { path: "/elsewhere/other.parquet" },
  ]);
  expect(dialogs).toEqual(["Compare Runs"]);
});
