import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { root } from "../workbench/project.mjs";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-metrics-npm-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Resolves with whether anything listens there. */
async function listens(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

it("a script that npm runs ends its server when npm is killed", async () => {
  const project = pathToFileURL(join(root, "test/workbench/project.mjs")).href;
  await writeFile(
    join(folder, "package.json"),
    JSON.stringify({ name: "stopped", private: true, scripts: { start: "node start.mjs" } }),
  );
  await writeFile(
    join(folder, "start.mjs"),
    `import { createServer } from "node:net";
import { whenParentEnds } from ${JSON.stringify(project)};
const server = createServer().listen(0, "127.0.0.1", () => process.stdout.write("port " + server.address().port + "\\n"));
whenParentEnds(() => process.exit(143));
`,
  );
  const npm = spawn("npm", ["start"], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
  let output = "";
  npm.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const port = await vi.waitUntil(() => /port (\d+)/.exec(output)?.[1], { timeout: 100_000, interval: 50 });
  expect(await listens(Number(port))).toBe(true);

  npm.kill("SIGTERM");
  await vi.waitUntil(async () => !(await listens(Number(port))), { timeout: 100_000, interval: 100 });
});
