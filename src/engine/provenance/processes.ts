import { readdir, readFile, readlink } from "node:fs/promises";
import { isLoopback } from "../../collect/url.js";
import { commandText } from "../../core/model/index.js";

const LISTENING = "0A";
/** Processes looked at in search of the one that listens. */
const MAX_PROCESSES = 5000;

/**
 * The command line of the process of this machine that listens at a URL's port, without secrets; undefined for other
 * machines, for processes of other users, and on systems other than Linux.
 */
export async function listenerCommand(url: string): Promise<string | undefined> {
  const { hostname, port, protocol } = new URL(url);
  if (!isLoopback(hostname)) return undefined;
  const inodes = await listening(Number(port || (protocol === "https:" ? 443 : 80)));
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
