import { chmod, mkdir, mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { FrameLocator } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import {
  allDrawn,
  boxOf,
  openFile,
  openFromExplorer,
  openWorkbench,
  runCommand,
  until,
  webview,
  type Workbench,
} from "../e2e/driver.js";
import { tidied } from "../e2e/tidy.js";
import { CLI, runCli, startCli, until as waitFor } from "../support/cli.js";
import { savePicture } from "./picture.js";

/* `npm run pictures`: those of guides whose answer stands in a terminal or a file, from what their commands print. */

const PORT = "8000";
const ROWS = 20;
const PROMPT = /(?:^|\n)[$>]$/;
const MARGIN = 12;

let folder: string;
let workbench: Workbench;

async function done(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(args, { cwd: folder });
  expect(code, stderr).toBeLessThanOrEqual(1);
  return stdout;
}

/** A run with these options of `demo`, as files in a folder. */
async function recorded(to: string, ...options: readonly string[]): Promise<void> {
  const log = path.join(path.dirname(folder), "scrapes.jsonl.gz");
  await done("demo", "--rate", "20", ...options, "--record", log);
  await done("replay", log, "--formats", "json,parquet", "--out", to);
}

/** Works beside a server with these options of `demo`. */
async function beside(options: readonly string[], work: () => Promise<unknown>): Promise<void> {
  const { child, finished } = startCli(["demo", "--port", PORT, ...options]);
  try {
    await waitFor("the demo server", async () => {
      const answer = await fetch(`http://localhost:${PORT}/metrics`).catch(() => undefined);
      return answer?.ok === true;
    });
    await work();
  } finally {
    child.kill();
    await finished;
  }
}

/** The preview of the Markdown in front, drawn. */
async function preview(): Promise<FrameLocator> {
  await runCommand(workbench.page, "Markdown: Open Preview");
  // It is prepared in another frame, which is not seen.
  const view = workbench.page.frameLocator("iframe.webview.ready").frameLocator("iframe#active-frame");
  await view.locator(".markdown-body table").first().waitFor();
  return view;
}

/** Types these lines into a new terminal of so many columns, and takes what it shows once that is `shown`. */
async function typed(name: string, columns: number, lines: readonly string[], shown: RegExp): Promise<void> {
  const { page } = workbench;
  await runCommand(page, "Terminal: Create New Terminal in Editor Area");
  const screen = page.locator(".xterm-screen").last();
  const rows = screen.locator(".xterm-rows > div");
  let seen: readonly string[] = [];
  const shows = (what: RegExp | string) =>
    until(
      async () => {
        seen = (await rows.allTextContents()).map((text) => text.replaceAll("\u00a0", " ").trimEnd());
        const text = seen.join("\n").trimEnd();
        return typeof what === "string" ? text.includes(what) : what.test(text);
      },
      () => `the terminal shows no ${String(what)}, but ${seen.join("\n")}`,
      180_000,
    );
  for (const line of [`stty cols ${columns} rows ${ROWS}`, "clear", ...lines]) {
    await shows(PROMPT);
    await page.keyboard.type(line);
    await shows(line);
    await page.keyboard.press("Enter");
  }
  await shows(shown);
  const { x, y } = await boxOf(screen);
  const { height } = await boxOf(rows.first());
  const cell = await screen.locator(".xterm-rows span").evaluateAll((spans) => {
    const widths = spans.map((span) => span.getBoundingClientRect().width / (span.textContent ?? "").length);
    return widths.sort((a, b) => a - b)[Math.floor(widths.length / 2)] ?? NaN;
  });
  const used = seen.findLastIndex((text) => text !== "") + 1;
  const clip = { x: x - MARGIN, y: y - MARGIN, width: columns * cell + 2 * MARGIN, height: used * height + 2 * MARGIN };
  await savePicture(page, name, clip);
}

beforeAll(async () => {
  const parent = await mkdtemp(path.join(os.tmpdir(), "server-metrics-pictures-"));
  folder = path.join(parent, "llm-serving");
  const bin = path.join(parent, "bin");
  await mkdir(folder);
  await mkdir(bin);
  const command = path.join(bin, "server-metrics");
  await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`);
  await chmod(command, 0o755);
  workbench = await openWorkbench({
    folder,
    container: "Server Metrics",
    settings: {
      "terminal.integrated.profiles.linux": { sh: { path: "/bin/sh" } },
      "terminal.integrated.defaultProfile.linux": "sh",
      "terminal.integrated.shellIntegration.enabled": false,
      "terminal.integrated.gpuAcceleration": "off",
      "terminal.integrated.cursorStyleInactive": "none",
      "terminal.integrated.env.linux": {
        PS1: "$ ",
        PATH: `${bin}${path.delimiter}${process.env["PATH"] ?? ""}`,
        XDG_CACHE_HOME: path.join(parent, "cache"),
      },
    },
  });
  await runCommand(workbench.page, "View: Close Primary Side Bar");
});
tidied(() => ({ workbench, folder: path.dirname(folder) }));

it("picture of what is kept beside a benchmark", async () => {
  const { page } = workbench;
  await beside(["--scenario", "kv-pressure"], () =>
    done("capture", `localhost:${PORT}`, "--out", "results", "--", "sh", "-c", "sleep 30; exit 1"),
  );
  await openFromExplorer(page, "results", "summary.md");
  await preview();
  await savePicture(page, "benchmark");
  await runCommand(page, "View: Close All Editors");
});

it("picture of a flag that was not taken", async () => {
  const { page } = workbench;
  await beside(["--max-num-seqs", "128"], () =>
    done("capture", `localhost:${PORT}`, "--duration", "24s", "--out", "flag", "--label", "max-num-seqs 128"),
  );
  await openFromExplorer(page, "flag", "server_metrics_export.parquet");
  await runCommand(page, "View: Close Primary Side Bar");
  const view = await webview(page, ".run-view");
  await view.locator(".finding", { hasText: "A flag did not take effect" }).getByText("What to do").click();
  await until(
    () => allDrawn(view.locator(".chart-canvas canvas")),
    () => "the charts are not all drawn",
  );
  await savePicture(page, "flag", { ...(await boxOf(page.locator(".editor-group-container"))), height: 404 });
  await runCommand(page, "View: Close All Editors");
});

it("picture of the comment on a pull request", async () => {
  const { page } = workbench;
  await recorded("main", "--kv-blocks", "4000", "--duration", "60s");
  await recorded("branch", "--kv-blocks", "1000", "--duration", "60s");
  const runs = ["main", "branch"].map((name) => `${name}/server_metrics_export.parquet`);
  const guarded = ["--fail-on", "worse", "--metrics", "vllm:generation_tokens"];
  const comment = await done("compare", ...runs, ...guarded, "--markdown");
  await writeFile(path.join(folder, "gate.md"), comment);
  await openFile(page, "gate.md");
  await preview();
  const editor = await boxOf(page.locator(".editor-group-container .editor-container"));
  await savePicture(page, "gate", { ...editor, height: 745 });
  await runCommand(page, "View: Close All Editors");
});

it("picture of SQL over all runs", async () => {
  for (const blocks of ["1000", "1500", "2000", "3000", "4000"])
    await recorded(`runs/kv-${blocks}`, "--kv-blocks", blocks, "--duration", "30s");
  const statement = [
    'server-metrics sql runs "',
    "  SELECT run, round(tokens) AS tokens, round(ttft_p99, 1) AS ttft_p99",
    '  FROM runs ORDER BY ttft_p99"',
  ];
  await typed("sql", 80, statement, /kv-1000 .*\n\$$/s);
});

it("picture of top", async () => {
  await beside(["--scenario", "kv-pressure"], async () => {
    await typed("top", 100, [`server-metrics top localhost:${PORT}`], /top · 1:00/);
    await workbench.page.keyboard.type("q");
  });
});
