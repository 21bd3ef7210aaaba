import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { UserError } from "../core/text/errors.js";
import { EXPORT_FORMATS } from "../protocol/index.js";
import { METRIC_TYPES } from "../core/model/index.js";
import { statisticColumns } from "../core/query/index.js";

/** Stands for a "--" among files to compare: commander would swallow it, and with it the options after it. */
export const NEXT_SET = "\0next set";

/**
 * The command line as commander reads it right: `--formats json csv` becomes one list, as AIPerf takes it, so does
 * `--statistics avg p99`, and the set borders of `compare` are kept.
 */
export function normalizeArguments(argv: readonly string[]): string[] {
  const comparing = argv[2] === "compare" || argv[2] === "report";
  const border = comparing ? -1 : argv.indexOf("--");
  const own = border < 0 ? argv : argv.slice(0, border);
  const rest = border < 0 ? [] : argv.slice(border);
  return [...joinLists(own).map((word) => (comparing && word === "--" ? NEXT_SET : word)), ...rest];
}

const KEYS = METRIC_TYPES.flatMap((type) => statisticColumns(type, undefined).map(({ key }) => key));

/** What `--statistics` takes: `p99` is the percentile of a gauge, and the estimate of a histogram's. */
export const STATISTIC_NAMES: readonly string[] = [
  ...new Set(KEYS.flatMap((key) => [key, key.replace("_estimate", "")])),
];

/** Options that take a list, and the names that may stand in it. */
const LISTS: ReadonlyMap<string, readonly string[]> = new Map([
  ["--formats", EXPORT_FORMATS],
  ["--statistics", STATISTIC_NAMES],
]);

function joinLists(words: readonly string[]): string[] {
  const joined: string[] = [];
  let list: { readonly at: number; readonly names: readonly string[] } | undefined;
  for (const word of words) {
    if (list !== undefined && isListed(word, list.names)) joined[list.at] += `,${word}`;
    else {
      // The first word after the option is its value, whatever it is: commander says what is wrong with it.
      const names = LISTS.get(joined.at(-1) ?? "") ?? LISTS.get(/^(--[a-z]+)=/.exec(word)?.[1] ?? "");
      list = names === undefined ? undefined : { at: joined.length, names };
      joined.push(word);
    }
  }
  return joined;
}

function isListed(word: string, names: readonly string[]): boolean {
  return word.split(",").every((name) => name === "" || names.includes(name));
}

/**
 * What `capture` was given beside its options: endpoints before "--", the command after it.
 * @param operands all of them, as commander gives them
 * @throws UserError when an endpoint looks like a command without "--"
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
    const before = endpoints.slice(0, program).join(" ");
    throw new UserError(
      `"${endpoints[program] ?? ""}" is a command, and a command needs -- before it.`,
      `Write: server-metrics capture ${before === "" ? "HOST:PORT" : before} -- ${words}`,
    );
  }
  if (border >= 0 && command.length === 0)
    throw new UserError("there is no command after --.", "Name the command to run, or leave -- out.");
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
