import { Command, CommanderError } from "commander";
import { useSecretParameters } from "../core/model/index.js";
import { normalizeArguments } from "./arguments.js";
import { captureCommand } from "./capture.js";
import { checkCommand } from "./check.js";
import { compareCommand } from "./compare.js";
import { demoCommand } from "./demo.js";
import { ENVIRONMENT_HELP, readEnvironment } from "./environment.js";
import { errorLine, exitCodeOf } from "./exit.js";
import { exportCommand } from "./export.js";
import { fetchCommand } from "./fetch.js";
import { insightsCommand } from "./insights.js";
import { mcpCommand } from "./mcp.js";
import { ChildExit, withMemoryLimit } from "./memory.js";
import { parseCommand } from "./parse.js";
import { recoverCommand } from "./recover.js";
import { replayCommand } from "./replay.js";
import { showCommand } from "./show.js";
import { snapshotCommand } from "./snapshot.js";
import { sweepCommand } from "./sweep.js";
import { note, print } from "./terminal.js";
import { pushCommand, remoteWriteCommand } from "./write-out.js";
import { VERSION } from "../files/index.js";

async function main(): Promise<number> {
  let exitCode = 0;
  const argv = normalizeArguments(process.argv);
  const setExit = (code: number) => (exitCode = code);
  const program = new Command("server-metrics")
    .description("Capture, replay and inspect the Prometheus metrics of LLM inference servers.")
    .version(VERSION)
    .configureOutput({ writeOut: (text) => print(text), writeErr: (text) => note(text.trimEnd()) })
    .addHelpText("after", ENVIRONMENT_HELP)
    .showHelpAfterError("(see --help)")
    .exitOverride();
  const ofFiles = [
    replayCommand(),
    exportCommand(),
    showCommand(),
    insightsCommand(),
    sweepCommand(),
    compareCommand(setExit),
    checkCommand(setExit),
    recoverCommand(setExit),
    remoteWriteCommand(setExit),
    pushCommand(),
    parseCommand(),
  ];
  for (const command of [
    captureCommand(setExit, argv),
    fetchCommand(),
    ...ofFiles.map(withMemoryLimit),
    snapshotCommand(),
    demoCommand(),
    mcpCommand(),
  ]) {
    program.addCommand(command.copyInheritedSettings(program));
  }
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
