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
  await exportArtifacts(makeRun({ label: "day_shift", seed: 4, latency: 0.8, later: 1800 }), {
    directory: join(folder, "runs", "day"),
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
  expect((json["report"] as string[])[0]).toBe("# night shift");
  expect(json["reveals"]).toContain("hosts: 10.0.0.11");
});

it("gives a comparison as lines of Markdown, in which names with Markdown's characters are hidden, too", async () => {
  const question = { run: "night", candidates: "day" };
  const { json } = await session.call("export_report", question);
  expect((json["report"] as string[])[0]).toBe("## night shift → day\\_shift");
  expect((json["report"] as string[]).join("\n")).toContain("**better**");
  const hidden = await session.call("export_report", { ...question, hide: "labels" });
  expect((hidden.json["report"] as string[])[0]).toMatch(/^## name-1 → name-\d$/);
  expect(JSON.stringify(hidden.json["report"])).not.toMatch(/night shift|day.{0,2}_shift/);
});

it("writes a comparison as one file, and needs something to compare", async () => {
  const { json } = await session.call("export_report", { run: "night", candidates: ["day"], file: "both.html" });
  expect(json).toMatchObject({ run: "night", candidates: ["day"], file: "both.html" });
  expect(await readFile(join(folder, "runs", "both.html"), "utf8")).toContain("<title>night shift → day_shift</title>");
  const alone = await session.call("export_report", { run: ["night", "day"] });
  expect(alone.isError).toBe(true);
  const outside = await session.call("export_report", { run: "night", candidates: "../outside" });
  expect(outside.isError).toBe(true);
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
