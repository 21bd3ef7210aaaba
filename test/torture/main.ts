import { parseArgs } from "node:util";
import { seededRandom } from "../support/random.js";
import { readHostile } from "./hostile.js";
import { recoverLong } from "./journal.js";
import { killCaptures } from "./kills.js";
import { pauseCapture } from "./pauses.js";
import { soak } from "./soak.js";

const LONGEST_LOSS_SECONDS = 1;
/** Between a pause and the gap that it leaves: a busy machine takes a while to stop and to go on. */
const LONGEST_DIFFERENCE_SECONDS = 3;
const MEMORY_GROWTH = 0.1;
const MAX_MIB = 1e9 / 1024 ** 2;

/**
 * `--kills N` (200), `--pause-seconds P` (30), `--soak-minutes M` (20), `--hostile-mb B` (100), `--journal-hours H` (8)
 * and `--seed S`; 0 leaves a part out. `--cli FILE` is what is tortured.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      kills: { type: "string", default: "200" },
      "pause-seconds": { type: "string", default: "30" },
      "soak-minutes": { type: "string", default: "20" },
      "hostile-mb": { type: "string", default: "100" },
      "journal-hours": { type: "string", default: "8" },
      seed: { type: "string", default: String(Date.now() % 1e9) },
      cli: { type: "string", default: "dist/cli.js" },
    },
  });
  const random = seededRandom(Number(values.seed));
  const wrong: string[] = [];
  console.log(`seed ${values.seed}`);
  const kills = Number(values.kills);
  if (kills > 0) {
    const result = await killCaptures(values.cli, kills, random);
    const sorted = [...result.losses].sort((a, b) => a - b);
    const longest = sorted.at(-1) ?? 0;
    const over = sorted.filter((loss) => loss > LONGEST_LOSS_SECONDS).length;
    console.log(
      `${kills} captures killed: loss ${shown(sorted[Math.floor(kills / 2)])} s in the middle, ${shown(longest)} s at most; ${over} above ${LONGEST_LOSS_SECONDS} s, ${result.wrong.length} with a hole or an invented scrape`,
    );
    wrong.push(...result.wrong);
    if (over > 0) wrong.push(`${over} kills lost more than ${LONGEST_LOSS_SECONDS} s`);
  }
  const pause = Number(values["pause-seconds"]);
  if (pause > 0) {
    const { gapSeconds, missedTicks, wrong: difference } = await pauseCapture(values.cli, pause, random);
    console.log(`a pause of ${pause} s: a gap of ${shown(gapSeconds)} s, ${missedTicks} ticks missed and told`);
    wrong.push(...difference);
    if (Math.abs(gapSeconds - pause) > LONGEST_DIFFERENCE_SECONDS)
      wrong.push(`the gap of ${shown(gapSeconds)} s is not the pause`);
    // Five ticks a second were due.
    if (Math.abs(missedTicks / 5 - pause) > LONGEST_DIFFERENCE_SECONDS)
      wrong.push(`${missedTicks} missed ticks are not those of the pause`);
  }
  const megabytes = Number(values["hostile-mb"]);
  if (megabytes > 0)
    for await (const { file, command, mib, code } of readHostile(values.cli, megabytes * 1e6)) {
      console.log(`${command} of ${megabytes} MB of ${file}: ${shown(mib)} MiB, exit code ${code}`);
      if (mib > MAX_MIB) wrong.push(`${command} of ${file} held ${shown(mib)} MiB`);
      if (code !== 0 && code !== 2) wrong.push(`${command} of ${file} ended with ${code}`);
    }
  const hours = Number(values["journal-hours"]);
  if (hours > 0) {
    const { scrapes, series, bytes, seconds, mib, code, said } = await recoverLong(values.cli, hours);
    console.log(
      `a journal of ${hours} hours, ${scrapes} scrapes of ${series} samples: ${shown(bytes / 1e6)} MB, recovered in ` +
        `${shown(seconds)} s with ${shown(mib)} MiB`,
    );
    if (code !== 0 || !said.includes(`${scrapes} scrapes`)) wrong.push(`the long journal: exit code ${code}, ${said}`);
  }
  const minutes = Number(values["soak-minutes"]);
  if (minutes > 0) {
    const result = await soak(values.cli, minutes, random);
    const growth = result.finalMiB / result.settledMiB - 1;
    console.log(
      `soak of ${minutes} minutes: ${result.scrapes} scrapes, ${result.failures} failed, ${result.missedTicks} ticks missed and reported; memory ${shown(result.settledMiB)} MiB, at the end ${shown(result.finalMiB)} MiB (${(100 * growth).toFixed(1)} %)`,
    );
    wrong.push(...result.wrong);
    if (growth > MEMORY_GROWTH) wrong.push(`memory grew by ${(100 * growth).toFixed(1)} %`);
  }
  for (const one of wrong) console.log(`WRONG: ${one}`);
  if (wrong.length > 0) process.exitCode = 1;
}

function shown(value = 0): string {
  return value.toFixed(2);
}
