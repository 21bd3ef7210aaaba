import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/**
 * Milliseconds for which this thread was ready to run so far, and others had the processor (Linux: `run_delay` of
 * schedstat). 0 on systems that do not tell.
 */
export function processorWaitMs(): number {
  return Number(textOf("/proc/thread-self/schedstat")?.split(" ")[1] ?? 0) / 1e6;
}

/** How this machine shares its processors, and what helps where a capture gets too little of them. */
export function sharingAdvice(): string {
  const elsewhere = `Capture from another machine, or limit the load here to fewer than ${availableParallelism()} processors.`;
  const group = cpuGroup();
  if (group !== undefined)
    return `The control group ${group} limits what the capture gets: raise its share. ${elsewhere}`;
  if (textOf("/proc/sys/kernel/sched_autogroup_enabled") === "0\n")
    return `Linux does not share processor time by session here: sysctl kernel.sched_autogroup_enabled=1 changes that. ${elsewhere}`;
  return elsewhere;
}

/** The control group by which Linux shares processor time for this process in place of sessions. */
function cpuGroup(): string | undefined {
  for (const line of textOf("/proc/self/cgroup")?.split("\n") ?? []) {
    const [, controllers = "", path = "/"] = line.split(":");
    if (path === "/") continue;
    const isCpu =
      controllers.split(",").includes("cpu") ||
      (controllers === "" && textOf(`/sys/fs/cgroup${path}/cpu.weight`) !== undefined);
    if (isCpu) return path;
  }
  return undefined;
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
