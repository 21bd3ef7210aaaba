/**
 * `npm run torture [-- --kills N --pause-seconds P --soak-minutes M --hostile-mb B --journal-hours H --seed S]`:
 * captures that are killed or paused, and a long one of many endpoints with faults, compared with what the servers
 * logged that they served; hostile files; a long journal. Builds dist/ first.
 */
import { runScript } from "../support/bundle.mjs";
import { build } from "../workbench/project.mjs";

try {
  await build();
  await runScript("test/torture/main.ts", process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
