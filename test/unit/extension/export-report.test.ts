import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import type { Report } from "../../../src/protocol/index.js";

interface Row {
  readonly label: string;
  readonly detail: string;
}

const { vscode, said } = vi.hoisted(() => {
  const said = {
    rows: [] as Row[],
    picked: undefined as ((rows: Row[]) => Row[] | undefined) | undefined,
    suggested: "",
    target: undefined as { path: string; fsPath: string } | undefined,
    written: new Map<string, string>(),
  };
  const uri = (fsPath: string) => ({ scheme: "file", path: fsPath, fsPath });
  const vscode = {
    ProgressLocation: { Notification: 15 },
    Uri: { file: uri, joinPath: (base: { fsPath: string }, name: string) => uri(`${base.fsPath}/${name}`) },
    env: { openExternal: vi.fn() },
    window: {
      withProgress: (_options: unknown, work: (progress: unknown, token: unknown) => unknown) =>
        work({ report: () => undefined }, { onCancellationRequested: () => ({ dispose: () => undefined }) }),
      showQuickPick: (rows: Row[]) => {
        said.rows = rows;
        return Promise.resolve(said.picked?.(rows));
      },
      showSaveDialog: ({ defaultUri }: { defaultUri: { fsPath: string } }) => {
        said.suggested = defaultUri.fsPath;
        return Promise.resolve(said.target);
      },
    },
    workspace: {
      workspaceFolders: [],
      fs: {
        writeFile: (to: { fsPath: string }, bytes: Uint8Array) => {
          said.written.set(to.fsPath, new TextDecoder().decode(bytes));
          return Promise.resolve();
        },
      },
    },
  };
  return { vscode, said };
});
vi.mock("vscode", () => vscode);
const { ReportExporter } = await import("../../../src/extension/report/export-report.js");

const REPORT: Report = {
  document: [{ kind: "heading", level: 1, text: "night shift" }],
  view: "run",
  about: { title: "night shift", made: "2026-01-01T00:00:00Z", version: "1", files: [], leftOut: [], redacted: [] },
  answers: [
    { name: "describe", params: {}, outcome: { result: { label: "night shift", url: "http://gpu-7.acme:8000" } } },
  ],
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "server-metrics-export-report-"));
  await mkdir(path.join(folder, "dist"));
  for (const name of ["webview.js", "webview.css", "report.css"])
    await writeFile(path.join(folder, "dist", name), `/* ${name} */`);
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(() => {
  said.written.clear();
  said.target = vscode.Uri.file("/reports/x.html");
});

function exporter() {
  const info = vi.fn();
  const notifier = { info } as unknown as ConstructorParameters<typeof ReportExporter>[1];
  const extension = vscode.Uri.file(folder) as unknown as ConstructorParameters<typeof ReportExporter>[0];
  const reports = new ReportExporter(extension, notifier);
  const panel = { active: true, onDidDispose: vi.fn() } as unknown as Parameters<typeof reports.offer>[0];
  reports.offer(panel, () => Promise.resolve(REPORT));
  return { info, run: () => reports.ofActive() };
}

it("lists what a report reveals, and hides what is picked, in the name of the file too", async () => {
  said.picked = (rows) => rows.filter(({ label }) => label === "Hide labels");
  const { info, run } = exporter();
  await run();
  expect(said.rows.map(({ label, detail }) => [label, detail])).toEqual([
    ["Hide hosts", "gpu-7.acme"],
    ["Hide paths", "none"],
    ["Hide labels", "name=night shift"],
  ]);
  expect(path.basename(said.suggested)).toBe("run-report.html");
  expect(said.written.get("/reports/x.html")).toContain("<title>name-1</title>");
  expect(info).toHaveBeenCalledOnce();
});

it("is named after the run where nothing is hidden", async () => {
  said.picked = () => [];
  await exporter().run();
  expect(path.basename(said.suggested)).toBe("night-shift-report.html");
  expect(said.written.get("/reports/x.html")).toContain("<title>night shift</title>");
});

it("writes nothing when given up on the way", async () => {
  said.picked = () => undefined;
  await exporter().run();
  said.picked = () => [];
  said.target = undefined;
  await exporter().run();
  expect(said.written.size).toBe(0);
});

it("is Markdown where the file is named so", async () => {
  said.picked = () => [];
  said.target = vscode.Uri.file("/reports/x.md");
  await exporter().run();
  expect(said.written.get("/reports/x.md")).toMatch(/^# night shift\n/);
});

it("is of the panel in front, and says what to open where there is none", async () => {
  const { info } = exporter();
  const notifier = { info } as unknown as ConstructorParameters<typeof ReportExporter>[1];
  const extension = vscode.Uri.file(folder) as unknown as ConstructorParameters<typeof ReportExporter>[0];
  await expect(new ReportExporter(extension, notifier).ofActive()).rejects.toThrow("nothing to report in front");
});
