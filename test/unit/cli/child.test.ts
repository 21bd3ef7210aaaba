import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { runChild } from "../../../src/cli/capture/child-process.js";

const folder = await mkdtemp(join(tmpdir(), "server-metrics-child-"));
afterAll(() => rm(folder, { recursive: true }));

it("runChild says of a program that does not exist, or may not be executed, that it is so", async () => {
  await expect(runChild("no-such-program", [])).rejects.toThrow(
    'the command "no-such-program" could not be started: there is no such program.',
  );
  const script = join(folder, "load.sh");
  await writeFile(script, "exit 0\n", { mode: 0o600 });
  await expect(runChild(script, [])).rejects.toThrow("this user may not execute it. Allow it with chmod +x.");
});

it("runChild gives the command's own exit code", async () => {
  expect(await runChild(process.execPath, ["-e", "process.exit(7)"])).toBe(7);
});
