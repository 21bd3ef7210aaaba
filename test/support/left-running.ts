import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Command lines of the processes that experiments have started in a folder, and that still run. Of Linux. */
export function leftRunning(folder: string): readonly string[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      if (/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))) return [];
      const command = readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");
      const environment = readFileSync(`/proc/${pid}/environ`, "latin1");
      const isHere = readlinkSync(`/proc/${pid}/cwd`) === folder;
      return isHere && environment.includes("SERVER_METRICS_EXPERIMENT=") ? [command] : [];
    } catch {
      return [];
    }
  });
}
