import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { readdir, realpath } from "node:fs/promises";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { headOf } from "../../files/bytes.js";
import { commandText, type JsonObject } from "../../core/text/index.js";

const TIMEOUT_MS = 4000;
const MAX_OUTPUT = 1024 ** 2;
/** Changed files that are named. */
const MAX_CHANGED = 50;

/**
 * What a program prints; undefined where it is missing, fails or takes too long. It is looked for on the PATH, never in
 * the folder that it is about.
 */
export function outputOf(program: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((settle) => {
    const options = { cwd: homedir(), timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT, windowsHide: true };
    execFile(program, args, options, (error, stdout) => settle(error === null ? stdout : undefined));
  });
}

/**
 * Commit, branch and changed files of the repository that a folder lies in; undefined of none. Nothing that the
 * repository configures is run, and its lock is not taken.
 */
export async function gitState(folder: string): Promise<JsonObject | undefined> {
  const text = await outputOf("git", [
    "-C",
    folder,
    "--no-optional-locks",
    "-c",
    "core.fsmonitor=false",
    "status",
    "--porcelain=v2",
    "--branch",
    "--untracked-files=no",
    "--ignore-submodules=all",
    "--no-renames",
    "-z",
  ]);
  if (text === undefined) return undefined;
  const lines = text.split("\0");
  const head = (name: string) => lines.find((line) => line.startsWith(`# branch.${name} `))?.slice(10 + name.length);
  const [commit, branch] = [head("oid"), head("head")];
  // "1 XY sub mH mI mW hH hI path", and "u" with two fields more.
  const changed = lines.flatMap((line) => /^(?:1(?: \S+){7}|u(?: \S+){9}) (.+)$/s.exec(line)?.[1] ?? []);
  return {
    ...(commit === undefined || commit === "(initial)" ? {} : { commit }),
    ...(branch === undefined || branch === "(detached)" ? {} : { branch }),
    ...(changed.length === 0 ? {} : { changed: changed.slice(0, MAX_CHANGED) }),
    ...(changed.length > MAX_CHANGED ? { more_changed: changed.length - MAX_CHANGED } : {}),
  };
}

/** Commits that are listed between two runs. */
const MAX_COMMITS = 20;

/**
 * The commits after one up to another, the newest first, "0123456 subject" each; none where one is unknown or the
 * folder's repository does not have them.
 */
export async function commitsBetween(folder: string, from = "", to = ""): Promise<readonly string[]> {
  if (from === to || ![from, to].every((commit) => /^[0-9a-f]{7,64}$/.test(commit))) return [];
  const text = await outputOf("git", [
    "-C",
    folder,
    "--no-optional-locks",
    "rev-list",
    "--oneline",
    `--max-count=${MAX_COMMITS}`,
    `${from}..${to}`,
    "--",
  ]);
  return (text ?? "").split("\n").filter((line) => line !== "");
}

/** The GPUs of this machine, a text each, as nvidia-smi or rocm-smi name them; none where neither is there. */
export async function gpus(): Promise<readonly string[]> {
  const nvidia = await outputOf("nvidia-smi", [
    "--query-gpu=name,memory.total,driver_version",
    "--format=csv,noheader",
  ]);
  const lines = (nvidia ?? "").split("\n").flatMap((line) => line.trim() || []);
  if (lines.length > 0) return lines.map((line) => line.replace(/, ([\d.]+)$/, ", driver $1"));
  const amd = await outputOf("rocm-smi", ["--showproductname", "--csv"]);
  const [, ...cards] = (amd ?? "").split("\n").flatMap((line) => line.trim() || []);
  return cards.map((line) => line.split(",").slice(1, 3).join(", "));
}

/** Load generators whose version their package tells, by the name of the program. */
const PACKAGES: Readonly<Record<string, string>> = {
  aiperf: "aiperf",
  "genai-perf": "genai_perf",
  guidellm: "guidellm",
  "inference-perf": "inference_perf",
  vllm: "vllm",
};

/**
 * The command that a capture ran, without secrets, and the version of its load generator where a Python package beside
 * the program tells it: the program itself is not run for it.
 */
export async function commandState(args: readonly string[]): Promise<JsonObject> {
  const [program = ""] = args;
  const version = await packageVersion(program);
  return { line: commandText(args), ...(version === undefined ? {} : { version }) };
}

async function packageVersion(program: string): Promise<string | undefined> {
  const name = PACKAGES[basename(program)];
  if (name === undefined) return undefined;
  const places = /[\\/]/.test(program) || isAbsolute(program) ? [dirname(resolve(program))] : pathFolders();
  for (const folder of places) {
    const script = join(folder, basename(program));
    const head = await headOf(script, 1024, {}).catch(() => undefined);
    if (head === undefined) continue;
    // Of a script that is a link, the package lies beside what it leads to; of any, beside the Python it names.
    const python = /^#!\s*(\S+)/.exec(new TextDecoder().decode(head))?.[1];
    for (const bin of [python, await realpath(script)].flatMap((file) => (file === undefined ? [] : dirname(file)))) {
      const found = await versionBeside(dirname(bin), name);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return undefined;
}

async function versionBeside(environment: string, name: string): Promise<string | undefined> {
  for (const python of await names(join(environment, "lib"))) {
    if (!python.startsWith("python")) continue;
    for (const entry of await names(join(environment, "lib", python, "site-packages"))) {
      const [, version] = /^([\w.]+)-(.+)\.dist-info$/.exec(entry)?.slice(1) ?? [];
      if (version !== undefined && entry.toLowerCase().startsWith(`${name}-`)) return version;
    }
  }
  return undefined;
}

async function names(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}

function pathFolders(): readonly string[] {
  return (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
}
