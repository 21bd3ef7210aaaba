import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { ENVIRONMENT_HELP } from "./options/environment.js";
import { withMemoryLimit } from "./input/memory.js";
import { note, print } from "./print/terminal.js";
import { VERSION } from "../files/index.js";

type SetExit = (code: number) => void;
type Load = (setExit: SetExit, argv: readonly string[]) => Promise<CommandUnknownOpts>;

const ofFiles =
  (load: Load): Load =>
  async (setExit, argv) =>
    withMemoryLimit(await load(setExit, argv));

/** In the order of the help. What a command needs is loaded with it: a start takes a third less without the others. */
const COMMANDS: ReadonlyMap<string, Load> = new Map<string, Load>([
  ["capture", async (setExit, argv) => (await import("./commands/capture.js")).captureCommand(setExit, argv)],
  ["top", async () => (await import("./commands/top.js")).topCommand()],
  ["fetch", async () => (await import("./commands/fetch.js")).fetchCommand()],
  ["replay", ofFiles(async () => (await import("./commands/replay.js")).replayCommand())],
  ["export", ofFiles(async () => (await import("./commands/export.js")).exportCommand())],
  ["show", ofFiles(async () => (await import("./commands/show.js")).showCommand())],
  ["insights", ofFiles(async () => (await import("./commands/insights.js")).insightsCommand())],
  ["report", ofFiles(async () => (await import("./commands/report.js")).reportCommand())],
  ["sweep", ofFiles(async () => (await import("./commands/sweep.js")).sweepCommand())],
  ["runs", ofFiles(async () => (await import("./commands/runs.js")).runsCommand())],
  ["sql", ofFiles(async (setExit) => (await import("./commands/sql.js")).sqlCommand(setExit))],
  ["compare", ofFiles(async (setExit) => (await import("./commands/compare.js")).compareCommand(setExit))],
  ["check", ofFiles(async (setExit) => (await import("./commands/check.js")).checkCommand(setExit))],
  ["recover", ofFiles(async (setExit) => (await import("./commands/recover.js")).recoverCommand(setExit))],
  [
    "remote-write",
    ofFiles(async (setExit) => (await import("./commands/store-writers.js")).remoteWriteCommand(setExit)),
  ],
  ["push", ofFiles(async () => (await import("./commands/store-writers.js")).pushCommand())],
  ["parse", ofFiles(async () => (await import("./commands/parse.js")).parseCommand())],
  ["snapshot", async () => (await import("./commands/snapshot.js")).snapshotCommand()],
  ["demo", async () => (await import("./commands/demo.js")).demoCommand()],
  ["experiment", async (setExit) => (await import("./commands/experiment.js")).experimentCommand(setExit)],
  ["mcp", async () => (await import("./commands/mcp.js")).mcpCommand()],
]);

/**
 * The commands with their options: the one that the command line begins with, else all of them.
 * @param argv as `normalizeArguments` gives it
 * @param setExit gets the exit code of a command that ends without an error
 */
export async function programOf(argv: readonly string[], setExit: SetExit): Promise<CommandUnknownOpts> {
  const program = new Command("server-metrics")
    .description("Capture, replay and inspect the Prometheus metrics of LLM inference servers.")
    .version(VERSION)
    .configureOutput({ writeOut: (text) => print(text), writeErr: (text) => note(text.trimEnd()) })
    .addHelpText("after", ENVIRONMENT_HELP)
    .showHelpAfterError("(see --help)")
    .exitOverride();
  const named = COMMANDS.get(argv[2] ?? "");
  for (const load of named === undefined ? COMMANDS.values() : [named])
    program.addCommand((await load(setExit, argv)).copyInheritedSettings(program));
  return program;
}
