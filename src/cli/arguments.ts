import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { EXPORT_FORMATS } from "../protocol/index.js";
import { CommandError } from "./exit.js";

/** Stands for a "--" among the files of `compare`: commander would swallow it, and with it the options after it. */
export const NEXT_SET = "\0next set";

/**
 * The command line as commander reads it right: `--formats json csv` becomes one list, as AIPerf takes it, and the set
 * borders of `compare` are kept.
 */
export function normalizeArguments(argv: readonly string[]): string[] {
  const comparing = argv[2] === "compare";
  const border = comparing ? -1 : argv.indexOf("--");
  const own = border < 0 ? argv : argv.slice(0, border);
  const rest = border < 0 ? [] : argv.slice(border);
  return [...joinFormats(own).map((word) => (comparing && word === "--" ? NEXT_SET : word)), ...rest];
}

function joinFormats(words: readonly string[]): string[] {
  const joined: string[] = [];
  let list: number | undefined;
  for (const word of words) {
    if (list !== undefined && isFormats(word)) joined[list] += `,${word}`;
    else {
      // The first word after the option is its value, whatever it is: commander says what is wrong with it.
      if (joined.at(-1) === "--formats") list = joined.length;
      else list = word.startsWith("--formats=") ? joined.length : undefined;
      joined.push(word);
    }
  }
  return joined;
}

function isFormats(word: string): boolean {
  return word.split(",").every((name) => name === "" || EXPORT_FORMATS.some((format) => format === name));
}

/**
 * What `capture` was given beside its options: endpoints before "--", the command after it.
 * @param operands all of them, as commander gives them
 * @throws CommandError when an endpoint looks like a command without "--"
 */
export function endpointsAndCommand(
  argv: readonly string[],
  operands: readonly string[],
): { readonly endpoints: readonly string[]; readonly command: readonly string[] } {
  const border = argv.indexOf("--");
  const inCommand = border < 0 ? 0 : argv.length - border - 1;
  const endpoints = operands.slice(0, operands.length - inCommand);
  const command = operands.slice(operands.length - inCommand);
  const program = endpoints.findIndex((word) => !/[:./]/.test(word) && isProgram(word));
  if (program >= 0) {
    const words = endpoints.slice(program).join(" ");
    throw new CommandError(
      `"${endpoints[program] ?? ""}" is a command, and a command needs -- before it.`,
      2,
      `Write: server-metrics capture --url HOST:PORT -- ${words}`,
    );
  }
  if (border >= 0 && command.length === 0)
    throw new CommandError("there is no command after --.", 2, "Name the command to run, or leave -- out.");
  return { endpoints, command };
}

/** Whether the shell would find it. */
function isProgram(word: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, word), constants.X_OK);
      return folder !== "";
    } catch {
      return false;
    }
  });
}
