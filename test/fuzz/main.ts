import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findingName, fuzz, LONGEST_INPUT } from "./fuzz.js";
import { HangWatch } from "./hang-watch.js";
import { seedsIn } from "./seeds.js";
import { TARGET_NAMES, targetOf } from "./targets.js";

/** `--minutes N` a target (20), `--target T` one only, `--seed S`, `--fixtures DIR` where findings are kept. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string", default: "20" },
      target: { type: "string", multiple: true },
      seed: { type: "string", default: String(Date.now() % 1e9) },
      fixtures: { type: "string", default: "test/fixtures/fuzz" },
    },
  });
  const names = TARGET_NAMES.filter((name) => values.target === undefined || values.target.includes(name));
  const minutes = Number(values.minutes);
  if (names.length === 0 || !(minutes > 0))
    throw new Error(`give --minutes N and --target T with T one of ${TARGET_NAMES.join(", ")}`);
  const folder = await mkdtemp(join(tmpdir(), "server-metrics-fuzz-"));
  try {
    const seeds = await seedsIn(folder);
    let findings = 0;
    console.log(`seed ${values.seed}, ${minutes} minutes a target`);
    for (const name of names) {
      const watch = new HangWatch(join(values.fixtures, `${name}-endless.bin`), LONGEST_INPUT);
      const before = process.cpuUsage();
      const result = await fuzz(
        targetOf(name, folder),
        seeds[name],
        { ms: minutes * 60_000, seed: Number(values.seed) },
        (input) => watch.begin(input),
      );
      await watch.close();
      const { user, system } = process.cpuUsage(before);
      findings += result.findings.length;
      const rate = Math.round(result.executions / result.seconds);
      // Beside other work the process has only a part of a processor.
      const busyRate = Math.round(result.executions / ((user + system) / 1e6));
      const rss = Math.round(process.memoryUsage().rss / 1024 ** 2);
      console.log(
        `${name.padEnd(12)} ${String(result.executions).padStart(9)} executions, ${String(rate).padStart(6)} a second, ${String(busyRate).padStart(6)} a second of processor time, ${rss} MiB, ${result.findings.length} findings`,
      );
      for (const finding of result.findings) {
        await mkdir(values.fixtures, { recursive: true });
        const file = join(values.fixtures, findingName(finding));
        await writeFile(file, finding.input);
        console.log(`  ${file}: ${finding.why}`);
      }
    }
    if (findings > 0) process.exitCode = 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
