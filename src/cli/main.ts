import { CommanderError } from "@commander-js/extra-typings";
import { useSecretParameters } from "../core/text/index.js";
import { normalizeArguments } from "./arguments.js";
import { readEnvironment } from "./options/environment.js";
import { errorLine, exitCodeOf } from "./exit.js";
import { ChildExit } from "./input/memory.js";
import { note } from "./print/terminal.js";
import { programOf } from "./program.js";

async function main(): Promise<number> {
  let exitCode = 0;
  const argv = normalizeArguments(process.argv);
  const program = await programOf(argv, (code) => (exitCode = code));
  try {
    useSecretParameters(readEnvironment(process.env).secretParameters);
    await program.parseAsync(argv);
    return exitCode;
  } catch (error) {
    // Commander has written its own message; help and version asked for end well.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof ChildExit) return error.exitCode;
    note(errorLine(error));
    return exitCodeOf(error);
  }
}

// What is printed may find nobody (`| head`, a terminal that is gone) or no room: what is being recorded goes on.
let outputFailed = false;
process.stderr.on("error", () => undefined);
process.stdout.on("error", ({ code = "" }: NodeJS.ErrnoException) => {
  if (code === "EPIPE" || outputFailed) return;
  outputFailed = true;
  note(`server-metrics: standard output could not be written (${code}).`);
  process.exitCode = 1;
});

void main().then((code) => {
  process.exitCode = code === 0 && outputFailed ? 1 : code;
});
