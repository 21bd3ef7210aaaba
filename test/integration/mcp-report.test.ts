import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { exportArtifacts } from "../../src/files/index.js";
import { startMcp, type McpSession } from "../support/mcp.js";
import { makeRun } from "../support/view-harness/compared-runs.js";

let folder: string;
let session: McpSession;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "server-metrics-mcp-report-")));
  await mkdir(join(folder, "runs"));
  await exportArtifacts(makeRun({ label: "night shift", seed: 3 }), {
    directory: join(folder, "runs", "night"),
    formats: ["jsonl"],
    verify: false,
  });
  session = await startMcp(join(folder, "runs"));
});
afterAll(async () => {
  await session.close();
  await rm(folder, { recursive: true, force: true });
});

it("gives a run as lines of Markdown, and says what they reveal", async () => {
  const { json } = await session.call("export_report", { run: "night" });
  expect((json["report"] as string[]).slice(0, 2)).toEqual([
    expect.stringMatching(/^<!-- server-metrics run /),
    "# night shift",
  ]);
  expect(json["reveals"]).toContain("hosts: 10.0.0.11");
});

it("writes one file into the folder of runs, without what is to be hidden", async () => {
  const { json } = await session.call("export_report", { run: "night", file: "night.html", hide: ["hosts", "labels"] });
  expect(json["file"]).toBe("night.html");
  expect(json["reveals"]).toContain("hosts: hidden (1)");
  const html = await readFile(join(folder, "runs", "night.html"), "utf8");
  expect(html).toContain("<title>name-1</title>");
  expect(html).not.toContain("night shift");
});

it("replaces no file, follows no link, and writes nowhere else", async () => {
  await writeFile(join(folder, "runs", "own.html"), "mine");
  await symlink(join(folder, "outside.html"), join(folder, "runs", "link.html"));
  for (const file of ["own.html", "link.html", "../outside.html", "/tmp/outside.html", "report.txt"]) {
    const { isError } = await session.call("export_report", { run: "night", file });
    expect({ file, isError }).toEqual({ file, isError: true });
  }
  expect(await readFile(join(folder, "runs", "own.html"), "utf8")).toBe("mine");
  await expect(readFile(join(folder, "outside.html"))).rejects.toThrow("ENOENT");
});
