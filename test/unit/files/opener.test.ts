import { execFile } from "node:child_process";
import { mkdir, mkdtemp, open, realpath, rename, rm, symlink, truncate, writeFile, appendFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { UserError } from "../../../src/core/text/errors.js";
import { RunFolder, RunReader } from "../../../src/agents/index.js";
import { bytesOf, textOf } from "../../../src/files/bytes.js";
import { GrowingFile } from "../../../src/files/growing-file.js";
import { exportArtifacts } from "../../../src/files/index.js";
import { openArtifact } from "../../../src/files/open/index.js";
import { Neighbours } from "../../../src/files/open/neighbours.js";
import { leadsTo, readNamedText, RegularFile } from "../../../src/files/opener.js";
import { RunBuilder } from "../../support/run-builder.js";

const SECRET = "aws_secret_access_key";
const pipe = (path: string) => promisify(execFile)("mkfifo", [path]);
const reasonOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "it was read",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );

let base: string;
beforeAll(async () => (base = await realpath(await mkdtemp(join(tmpdir(), "server-metrics-opener-")))));
afterAll(() => rm(base, { recursive: true, force: true }));

async function folderOf(name: string): Promise<string> {
  const path = join(base, name);
  await mkdir(path);
  return path;
}

/** A run's artifacts, as a capture writes them. */
async function writeRun(directory: string): Promise<string> {
  const builder = new RunBuilder();
  for (let second = 0; second < 5; second++)
    builder.scrape(second, [{ name: "vllm:num_requests_running", type: "gauge", value: second }]);
  await exportArtifacts(builder.window(0, 4).run, { directory, formats: ["json", "jsonl"], verify: false });
  return join(directory, "server_metrics_export.jsonl");
}

describe.runIf(process.platform !== "win32")("what is no regular file", () => {
  it("is refused with its kind, and holds no thread", async () => {
    const folder = await folderOf("kinds");
    await pipe(join(folder, "pipe"));
    const server = createServer().listen(join(folder, "socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    await symlink("/dev/zero", join(folder, "zero"));
    // More than libuv has threads: were one of them held, the file after them would never be read.
    await Promise.all(
      Array.from({ length: 12 }, async () => {
        expect(await reasonOf(textOf(join(folder, "pipe"), 100))).toContain("pipe is a pipe, not a file");
      }),
    );
    expect(await reasonOf(textOf(join(folder, "zero"), 100))).toContain("zero is a device, not a file");
    expect(await reasonOf(textOf(join(folder, "socket"), 100))).toContain("socket cannot be read");
    expect(await reasonOf(textOf(folder, 100))).toContain("kinds is a folder, not a file");
    await writeFile(join(folder, "file"), "text");
    expect(await textOf(join(folder, "file"), 100)).toBe("text");
    server.close();
  });

  it("does no harm beside a run: it opens, and says what was not read", async () => {
    const folder = await folderOf("beside");
    const path = await writeRun(folder);
    const pipes = ["profile_export.jsonl", "phase_manifest.json", "a.json", "b.yaml", "other_server_metrics.json"];
    for (const name of pipes) await pipe(join(folder, name));
    await symlink("/dev/zero", join(folder, "gpu_telemetry_export.jsonl"));
    const opened = await openArtifact(path);
    const said = opened.notices.map(({ reason }) => reason).join("\n");
    expect(said).toContain("phase_manifest.json is a pipe, not a file: it was not read.");
    expect(said).toContain("gpu_telemetry_export.jsonl is a link, not a file: it was not read.");
    expect(opened.siblings.map((sibling) => sibling.format)).toEqual(["json"]);
  });

  it("may be given by a person: a pipe is read to its end", async () => {
    const path = join(await folderOf("given"), "pipe");
    await pipe(path);
    const [text] = await Promise.all([readNamedText(path), writeFile(path, "Authorization: x\n")]);
    expect(text).toBe("Authorization: x\n");
  });
});

describe("a file that others write to", () => {
  it("is read up to the size that it had when it was opened, and measured again by the next pass", async () => {
    const path = join(await folderOf("growing"), "run.jsonl");
    await writeFile(path, "x".repeat(100));
    const growing = new GrowingFile(path);
    const lengths: number[] = [];
    for (let pass = 0; pass < 2; pass++) {
      let length = 0;
      for await (const chunk of growing.read({})) {
        length += chunk.length;
        await appendFile(path, "y".repeat(50));
      }
      lengths.push(length);
    }
    expect(lengths).toEqual([100, 50]);
  });

  it("is no longer than it is where it is cut meanwhile", async () => {
    const path = join(await folderOf("cut"), "file");
    await writeFile(path, "x".repeat(100));
    const file = await RegularFile.open(path);
    await truncate(path, 40);
    expect((await file.bytesAt(0, 100)).length).toBe(40);
    await file.close();
  });
});

describe.runIf(process.platform !== "win32")("a folder that nothing may lead out of", () => {
  it("has links refused, and files whose folders are links", async () => {
    const folder = await folderOf("jail");
    const outside = await folderOf("outside");
    await writeFile(join(outside, "secret.json"), SECRET);
    await writeFile(join(folder, "own.json"), "own");
    await symlink(join(outside, "secret.json"), join(folder, "link.json"));
    await symlink(join(folder, "own.json"), join(folder, "inner.json"));
    await symlink(outside, join(folder, "sub"));
    const read = (name: string) => textOf(join(folder, name), 100, { within: folder });
    expect(await read("own.json")).toBe("own");
    expect(await reasonOf(read("link.json"))).toContain("link.json is a link: it was not read.");
    expect(await reasonOf(read("inner.json"))).toContain("is a link");
    expect(await reasonOf(read("sub/secret.json"))).toContain(`lies outside ${folder}`);
    expect(await reasonOf(read("../outside/secret.json"))).toContain(`lies outside ${folder}`);
  });

  it.each(["the handle", "device and inode"])("gives nothing of outside while links change, by %s", async (how) => {
    const folder = await folderOf(`race ${how}`);
    const [inner, outer] = [join(folder, "inner"), await folderOf(`race outside ${how}`)];
    await mkdir(inner);
    await writeFile(join(inner, "run.json"), "own");
    await writeFile(join(outer, "run.json"), SECRET);
    await symlink(outer, join(folder, "led"));
    await symlink(inner, join(folder, "stays"));
    // `now` is by turns a folder inside, by a link, and one outside; rename changes it at once.
    const now = join(folder, "now");
    let isOver = false;
    const changing = (async () => {
      for (let turn = 0; !isOver; turn++) {
        const next = join(folder, `next-${turn}`);
        await symlink(turn % 2 === 0 ? outer : inner, next);
        await rename(next, now);
      }
    })();
    const got = new Map<string, number>();
    const path = join(now, "run.json");
    for (let call = 0; call < 1500; call++) {
      let text: string;
      if (how === "the handle") text = await textOf(path, 100, { within: folder }).catch(() => "refused");
      else {
        const handle = await open(path).catch(() => undefined);
        const isInside = handle !== undefined && (await leadsTo(handle, path, folder).catch(() => false));
        text = isInside ? await handle.readFile("utf8") : "refused";
        await handle?.close();
      }
      got.set(text, (got.get(text) ?? 0) + 1);
    }
    isOver = true;
    await changing;
    expect([...got.keys()].toSorted()).toEqual(["own", "refused"]);
  });
});

describe("files beside a run", () => {
  it("are read where they lie in its folder, and nothing of others is told", async () => {
    const folder = await folderOf("quoted");
    const path = await writeRun(folder);
    const secret = join(base, "credentials");
    await writeFile(secret, `${SECRET} = 1234`);
    await symlink(secret, join(folder, "phase_manifest.json"));
    await writeFile(join(folder, "profile_export.jsonl"), `{"metadata": ${SECRET}\n`);
    await writeFile(join(folder, "benchmarks.yaml"), `benchmarks:\n- ${SECRET}: [\nargs: {}\n`);
    const said = JSON.stringify((await openArtifact(path)).notices);
    expect(said).toContain("phase_manifest.json is a link");
    expect(said).not.toContain(SECRET);
    // The same as a file of the folder: its parser quotes nothing either.
    await rm(join(folder, "phase_manifest.json"));
    await writeFile(join(folder, "phase_manifest.json"), `${SECRET} = 1234`);
    const other = JSON.stringify((await openArtifact(path)).notices);
    expect(other).toContain("cannot be read as a phase manifest: it is not valid JSON");
    expect(other).not.toContain(SECRET);
  });

  it("are looked at two at a time, and not waited for any longer than the signal has it", async () => {
    const folder = await folderOf("turns");
    for (const name of ["a", "b", "c", "d"]) await writeFile(join(folder, name), name);
    const all = await Neighbours.in(folder, {});
    let now = 0;
    let most = 0;
    const found = await all.look(
      all.named(() => true),
      async (path, reading) => {
        most = Math.max(most, ++now);
        for await (const chunk of bytesOf(path, reading)) void chunk;
        now--;
        return path.at(-1);
      },
    );
    expect([most, found]).toEqual([2, ["a", "b", "c", "d"]]);
    const stop = new AbortController();
    const stopped = await Neighbours.in(folder, { signal: stop.signal });
    const never = stopped.look(
      stopped.named(() => true),
      () => {
        stop.abort(new Error("closed"));
        return new Promise((_, reject) => setImmediate(() => reject(new Error("late"))));
      },
    );
    await expect(never).rejects.toThrow("closed");
  });
});

describe.runIf(process.platform !== "win32")("agents", () => {
  it("open the runs that are listed, and nothing else of the folder", async () => {
    const folder = await folderOf("agents");
    await mkdir(join(folder, "run"));
    await writeRun(join(folder, "run"));
    await mkdir(join(folder, ".hidden"));
    await writeRun(join(folder, ".hidden"));
    await writeFile(join(folder, ".env"), SECRET);
    await writeFile(join(folder, "notes.json"), SECRET);
    await symlink(join(folder, "run", "server_metrics_export.json"), join(folder, "linked_server_metrics.json"));
    const runs = await RunFolder.at(folder);
    const reader = new RunReader(runs);
    const ids = ["run", "run/server_metrics_export", "run/server_metrics_export.json"];
    expect((await runs.runs()).map(({ id }) => id)).toEqual([ids[1]]);
    for (const id of ids) expect((await reader.statistics(id)).statistics.families).toHaveLength(1);
    for (const id of [".env", "notes.json", ".hidden", ".hidden/server_metrics_export", "linked_server_metrics"])
      expect(await reasonOf(reader.statistics(id))).toBe(`There is no run ${id}.`);
  });

  it("get no content of a run's file in what is wrong with it", async () => {
    const folder = await folderOf("broken");
    await writeFile(join(folder, "server_metrics_export.json"), SECRET);
    await writeFile(join(folder, "other_server_metrics.jsonl"), `${SECRET}\n`);
    const reader = new RunReader(await RunFolder.at(folder));
    for (const id of ["server_metrics_export", "other_server_metrics"]) {
      const reason = await reasonOf(reader.statistics(id));
      expect(reason).toContain(folder);
      expect(reason).not.toContain(SECRET.slice(0, 6));
    }
  });

  it("get no folder that a link of the workspace leads to, and none is made there", async () => {
    const [workspace, elsewhere] = [await folderOf("workspace"), await folderOf("elsewhere")];
    await symlink(elsewhere, join(workspace, "artifacts"));
    const named = { inside: workspace, make: true };
    for (const name of ["artifacts", "artifacts/server-metrics"])
      expect(await reasonOf(RunFolder.at(join(workspace, name), named))).toContain(`lies outside ${workspace}`);
    await expect(RegularFile.open(join(elsewhere, "server-metrics"))).rejects.toThrow(UserError);
    const made = await RunFolder.at(join(workspace, "new", "runs"), named);
    expect(made.path).toBe(join(workspace, "new", "runs"));
    // What a person serves by name may lie behind a link.
    expect((await RunFolder.at(join(workspace, "artifacts"))).path).toBe(elsewhere);
  });
});
