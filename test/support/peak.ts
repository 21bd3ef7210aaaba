import { readFile } from "node:fs/promises";
import { until, type RunningCli } from "./cli.js";

/** Kilobytes that a command and those that it starts have held at most. Needs /proc. */
export async function peakOf({ child, finished }: RunningCli) {
  let peak = 0;
  let over = false;
  const look = async (pid: string): Promise<void> => {
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    peak = Math.max(peak, Number(/VmHWM:\s*(\d+)/.exec(status)?.[1] ?? 0));
    for (const started of await startedBy(pid)) await look(started);
  };
  const ended = finished.finally(() => (over = true));
  await until("the command", async () => (await look(String(child.pid)), over), 600_000);
  return { peak, ...(await ended) };
}

/** Ids of the processes that one has started. Needs /proc. */
export async function startedBy(pid: string): Promise<readonly string[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return text.split(" ").filter((word) => word !== "");
}
