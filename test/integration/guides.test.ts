import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { cliFolder } from "../support/cli-folder.js";
import { CLI } from "../support/cli.js";
import { refusedPort } from "../support/faulty-server.js";
import { ROOT } from "../support/repository-files.js";

const PAGE = await readFile(path.join(ROOT, "docs/guides.md"), "utf8");
const GUIDES = PAGE.split(/^## /m)
  .slice(1)
  .map((text) => ({
    title: text.slice(0, text.indexOf("\n")),
    commands: blocks(text, "sh"),
    printed: blocks(text, "text"),
    text,
  }));

const { folder, file } = cliFolder();

function blocks(text: string, language: string): string {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(([, block]) => block).join("");
}

/** What a shell prints to both streams, with `server-metrics` as the built command line. */
async function typed(commands: string): Promise<string> {
  const command = file("bin/server-metrics");
  await mkdir(path.dirname(command));
  await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`);
  await chmod(command, 0o755);
  const cwd = file("empty");
  await mkdir(cwd);
  const env = {
    ...process.env,
    PATH: `${path.dirname(command)}${path.delimiter}${process.env["PATH"] ?? ""}`,
    XDG_CACHE_HOME: path.join(folder(), "cache"),
  };
  const shell = spawn("sh", ["-c", `exec 2>&1\n${commands}`], { cwd, env, detached: true });
  // A guide that hangs or fails leaves its servers.
  onTestFinished(() => {
    try {
      process.kill(-(shell.pid ?? NaN), "SIGKILL");
    } catch {
      // All of them have ended.
    }
  });
  const [output, ended] = await Promise.all([text(shell.stdout), once(shell, "close")]);
  expect(ended, output).toEqual([0, null]);
  return output;
}

it("are ten, of at most 250 words, each with a picture of its own", async () => {
  expect(GUIDES).toHaveLength(10);
  const pictures = GUIDES.map(({ text }) => /^!\[[^\]]+\]\((screenshots\/[\w-]+\.png)\)$/m.exec(text)?.[1]);
  expect(new Set(pictures).size).toBe(GUIDES.length);
  for (const picture of pictures) await access(path.join(ROOT, "docs", picture ?? "none"));
  for (const { title, text } of GUIDES) {
    expect(text.split(/\s+/).length, title).toBeLessThanOrEqual(250);
  }
});

it.each(GUIDES)("$title", { timeout: 120_000 }, async ({ commands, printed }) => {
  const port = String(await refusedPort());
  const servesItself = commands.includes("--port 8000");
  const withPort = (text: string) => (servesItself ? text.replaceAll("8000", port) : text);
  const output = await typed(withPort(commands));
  const lines = withPort(printed).trimEnd().split("\n");
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines)
    for (const part of line.split("…"))
      expect(output.replace(/ +/g, " ")).toContain(part.replace(/ +/g, " ").trimEnd());
});
