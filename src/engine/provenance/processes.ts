import { readdir, readFile, readlink } from "node:fs/promises";
import { isLoopback } from "../../collect/url.js";
import { commandText, REDACTED } from "../../core/text/index.js";
import { outputOf } from "./programs.js";

const LISTENING = "0A";
/** Processes looked at in search of the one that listens. */
const MAX_PROCESSES = 5000;

/**
 * The command line of the process of this machine that listens at a URL's port, without secrets; undefined for other
 * machines and where the system does not tell, as of processes of other users.
 */
export async function listenerCommand(url: string, platform = process.platform): Promise<string | undefined> {
  const { hostname, port: given, protocol } = new URL(url);
  if (!isLoopback(hostname)) return undefined;
  const port = Number(given || (protocol === "https:" ? 443 : 80));
  if (platform === "linux") return fromProc(port);
  if (platform === "win32") return windowsCommand(await outputOf("powershell.exe", powershellQuestion(port)));
  const id = listenerId(await outputOf("lsof", ["-nP", `-iTCP:${port}`, "-sTCP:LISTEN", "-Fp"]));
  return id === undefined ? undefined : psCommand(await outputOf("ps", ["-ww", "-o", "args=", "-p", id]));
}

async function fromProc(port: number): Promise<string | undefined> {
  const inodes = await listening(port);
  if (inodes.size === 0) return undefined;
  const processes = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  for (const id of processes.slice(0, MAX_PROCESSES)) {
    const open = await readdir(`/proc/${id}/fd`).catch(() => []);
    const links = await Promise.all(open.map((fd) => readlink(`/proc/${id}/fd/${fd}`).catch(() => "")));
    if (!links.some((link) => inodes.has(link))) continue;
    const args = (await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")).split("\0").slice(0, -1);
    if (args.length > 0) return commandText(args);
  }
  return undefined;
}

/** The sockets of this machine that listen at a port, as links of file descriptors name them. */
async function listening(port: number): Promise<ReadonlySet<string>> {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  const found = new Set<string>();
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    for (const line of (await readFile(table, "utf8").catch(() => "")).split("\n").slice(1)) {
      const [, local = "", , state, , , , , , inode] = line.trim().split(/\s+/);
      if (state === LISTENING && local.endsWith(`:${hex}`)) found.add(`socket:[${inode ?? ""}]`);
    }
  }
  return found;
}

/** The first process that `lsof -Fp` lists: "p" and its id on a line of its own. */
export function listenerId(output: string | undefined): string | undefined {
  return /^p(\d+)$/m.exec(output ?? "")?.[1];
}

/**
 * A command line as `ps` prints it, without secrets. Where one argument ends and the next begins is not told: all that
 * follows an option is its value where that holds a secret.
 */
export function psCommand(output: string | undefined): string | undefined {
  const words = (output ?? "").split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return undefined;
  const joined: string[] = [];
  for (const [i, word] of words.entries()) {
    const before = joined.at(-1);
    const isValue = !word.startsWith("-") && words.slice(0, i).some((one) => one.startsWith("-"));
    const goesOn = isValue && before !== undefined && (!before.startsWith("-") || before.includes("="));
    if (goesOn) joined.push(`${joined.pop() ?? ""} ${word}`);
    else joined.push(word);
  }
  const text = commandText(joined);
  return text.includes(REDACTED) ? text : commandText(words);
}

function powershellQuestion(port: number): readonly string[] {
  const script = [
    "[Console]::OutputEncoding = [Text.Encoding]::UTF8",
    `$id = (Get-NetTCPConnection -State Listen -LocalPort ${port} -ErrorAction Stop | Select-Object -First 1).OwningProcess`,
    '(Get-CimInstance Win32_Process -Filter "ProcessId=$id").CommandLine',
  ].join("; ");
  return ["-NoProfile", "-NonInteractive", "-Command", script];
}

/** A command line of Windows without secrets. */
export function windowsCommand(output: string | undefined): string | undefined {
  const args = windowsArguments((output ?? "").trim());
  return args.length === 0 ? undefined : commandText(args);
}

/** As `CommandLineToArgvW` tells arguments apart: only before a quote a backslash is none. */
function windowsArguments(line: string): readonly string[] {
  const tokens = [...line.matchAll(/\\*"|\\+|\s+|[^\\\s"]+/g)].map(([token]) => token);
  const args: string[] = [];
  let arg: string | undefined;
  let isQuoted = false;
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] ?? "";
    if (token.endsWith('"')) {
      const slashes = token.length - 1;
      arg = (arg ?? "") + "\\".repeat(slashes >> 1);
      // Two quotes within quotes are one.
      const isDoubled = isQuoted && tokens[i + 1] === '"';
      if (slashes % 2 === 1 || isDoubled) arg += '"';
      else isQuoted = !isQuoted;
      if (slashes % 2 === 0 && isDoubled) i++;
    } else if (!isQuoted && token.trim() === "") {
      if (arg !== undefined) args.push(arg);
      arg = undefined;
    } else arg = (arg ?? "") + token;
  }
  return arg === undefined ? args : [...args, arg];
}
