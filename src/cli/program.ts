import { Command } from "commander";
import { captureCommand } from "./capture.js";
import { checkCommand } from "./check.js";
import { compareCommand } from "./compare.js";
import { demoCommand } from "./demo.js";
import { ENVIRONMENT_HELP } from "./environment.js";
import { exportCommand } from "./export.js";
import { fetchCommand } from "./fetch.js";
import { insightsCommand } from "./insights.js";
import { mcpCommand } from "./mcp.js";
import { withMemoryLimit } from "./memory.js";
import { parseCommand } from "./parse.js";
import { recoverCommand } from "./recover.js";
import { replayCommand } from "./replay.js";
import { showCommand } from "./show.js";
import { snapshotCommand } from "./snapshot.js";
import { sweepCommand } from "./sweep.js";
import { note, print } from "./terminal.js";
import { pushCommand, remoteWriteCommand } from "./write-out.js";
import { VERSION } from "../files/index.js";

/**
 * The commands with their options.
 * @param argv as `normalizeArguments` gives it
 * @param setExit gets the exit code of a command that ends without an error
 */
export function programOf(argv: readonly string[], setExit: (code: number) => void): Command {
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
  return program;
}
