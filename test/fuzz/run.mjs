/** `npm run fuzz -- --minutes N [--target T] [--seed S]`: mutated input for every reader, in one process. */
import { runScript } from "../support/bundle.mjs";

try {
  await runScript("test/fuzz/main.ts", process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
