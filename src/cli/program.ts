import { Command } from "commander";
import { captureCommand } from "./commands/capture.js";
import { checkCommand } from "./commands/check.js";
import { compareCommand } from "./commands/compare.js";
import { demoCommand } from "./commands/demo.js";
import { ENVIRONMENT_HELP } from "./options/environment.js";
import { experimentCommand } from "./commands/experiment.js";
import { exportCommand } from "./commands/export.js";
import { fetchCommand } from "./commands/fetch.js";
import { insightsCommand } from "./commands/insights.js";
import { mcpCommand } from "./commands/mcp.js";
import { withMemoryLimit } from "./input/memory.js";
import { parseCommand } from "./commands/parse.js";
import { reportCommand } from "./commands/report.js";
import { runsCommand } from "./commands/runs.js";
import { sqlCommand } from "./commands/sql.js";
import { recoverCommand } from "./commands/recover.js";
import { replayCommand } from "./commands/replay.js";
import { showCommand } from "./commands/show.js";
import { snapshotCommand } from "./commands/snapshot.js";
import { sweepCommand } from "./commands/sweep.js";
import { topCommand } from "./commands/top.js";
import { note, print } from "./print/terminal.js";
import { pushCommand, remoteWriteCommand } from "./commands/store-writers.js";
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
    reportCommand(),
    sweepCommand(),
    runsCommand(),
    sqlCommand(setExit),
    compareCommand(setExit),
    checkCommand(setExit),
    recoverCommand(setExit),
    remoteWriteCommand(setExit),
    pushCommand(),
    parseCommand(),
  ];
  for (const command of [
    captureCommand(setExit, argv),
    topCommand(),
    fetchCommand(),
    ...ofFiles.map(withMemoryLimit),
    snapshotCommand(),
    demoCommand(),
    experimentCommand(setExit),
    mcpCommand(),
  ]) {
    program.addCommand(command.copyInheritedSettings(program));
  }
  return program;
}
