import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fuzz, whatIsWrong } from "../fuzz/fuzz.js";
import { mutate } from "../fuzz/mutate.js";
import { seedsIn, type Seeds } from "../fuzz/seeds.js";
import { TARGET_NAMES, targetOf } from "../fuzz/targets.js";

const FINDINGS = join(import.meta.dirname, "../fixtures/fuzz");

let folder: string;
let seeds: Seeds;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-metrics-fuzz-"));
  seeds = await seedsIn(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(TARGET_NAMES)("the reader of %s", (name) => {
  it("reads its seeds, and refuses mutations of them in words, without hanging", async () => {
    const target = targetOf(name, folder);
    for (const seed of seeds[name]) expect(await whatIsWrong(target, seed)).toBeUndefined();
    const { findings } = await fuzz(target, seeds[name], { ms: 1500, seed: 7 });
    expect(findings.map(({ why }) => why)).toEqual([]);
  });

  it("is past what fuzzing once found", async () => {
    const target = targetOf(name, folder);
    for (const file of (await readdir(FINDINGS)).filter((one) => one.startsWith(`${name}-`)))
      expect(await whatIsWrong(target, await readFile(join(FINDINGS, file))), file).toBeUndefined();
  });
});

it("the fuzzer finds a reader that throws what is not for a person, one that hangs, and each reason once", async () => {
  const input = Buffer.from("abc");
  const throwing = { name: "t", run: (bytes: Uint8Array) => void (bytes[0] === 0x61 && JSON.parse("{")) };
  expect(await whatIsWrong(throwing, input)).toContain("SyntaxError");
  const hanging = {
    name: "t",
    run: () => {
      const begun = process.cpuUsage();
      while (process.cpuUsage(begun).user < 1_200_000);
    },
  };
  expect(await whatIsWrong(hanging, input)).toMatch(/it takes \d+ ms/);
  const { findings } = await fuzz(throwing, [input], { ms: 100, seed: 1 });
  expect(findings).toHaveLength(1);
});

it("the fuzzer mutates the same way for the same seed of chance", () => {
  let n = 0;
  const chance = () => ((n = (n * 16807 + 11) % 2147483647), n / 2147483647);
  const first = Array.from({ length: 50 }, () =>
    Buffer.from(mutate(Buffer.from("seed"), Buffer.from("other"), chance)),
  );
  n = 0;
  expect(
    Array.from({ length: 50 }, () => Buffer.from(mutate(Buffer.from("seed"), Buffer.from("other"), chance))),
  ).toEqual(first);
});

it("the fuzzer keeps what a reader does not come back from, and ends the process that reads it", async () => {
  const script = join(import.meta.dirname, "../fuzz/hang-watch.ts");
  const bundled = await build({ entryPoints: [script], bundle: true, platform: "node", format: "cjs", write: false });
  const file = join(folder, "kept", "endless.bin");
  const main = `${bundled.outputFiles[0]?.text ?? ""}
    const watch = new module.exports.HangWatch(${JSON.stringify(file)}, 100, 200);
    setTimeout(() => { watch.begin(Buffer.from("abc")); for (;;); }, 100);`;
  const child = spawn(process.execPath, ["-e", main], { stdio: "ignore" });
  const signal = await new Promise((resolve) => child.once("exit", (_, ended) => resolve(ended)));
  expect(signal).toBe("SIGKILL");
  expect(await readFile(file, "utf8")).toBe("abc");
});
