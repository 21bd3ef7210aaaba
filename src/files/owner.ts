import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { errorCode } from "../core/text/errors.js";

/**
 * A process, so that a later one can tell whether it still runs. A process number alone is not enough: numbers are
 * given out anew after a restart, and each container counts from 1.
 */
export interface Owner {
  readonly pid: number;
  /** Clock ticks from the boot to its start, in base 36; "0" where the system does not tell. */
  readonly start: string;
  /** Hash of the machine's boot and the process namespace: process numbers compare only within one. */
  readonly place: string;
}

/** How an owner is written into file names. */
export const OWNER_PATTERN = "(\\d+)-([0-9a-z]+)-([0-9a-f]{8})";

let cached: Owner | undefined;

/** The process that runs this. */
export function thisOwner(): Owner {
  return (cached ??= { pid: process.pid, start: startOf(process.pid), place: thisPlace() });
}

/** A process as part of a file's name; `processState` tells what became of it. */
export function ownerText({ pid, start, place }: Owner): string {
  return `${pid}-${start}-${place}`;
}

/** "unknown" where another machine or container counts the processes, or the number may have been given out anew. */
export function processState({ pid, start, place }: Owner): "alive" | "dead" | "unknown" {
  if (place !== thisOwner().place) return "unknown";
  if (!isRunning(pid) || statOf(pid).state === "Z") return "dead";
  if (start === "0") return "unknown";
  return startOf(pid) === start ? "alive" : "dead";
}

/** Whether there is a process of this number, though it may be another than the one meant. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process may not be signalled, but it is there.
    return errorCode(error) === "EPERM";
  }
}

/** When a process started, as `Owner.start` has it. */
export function startOf(pid: number): string {
  return BigInt(statOf(pid).start ?? "0").toString(36);
}

/**
 * Of /proc/PID/stat (proc(5)) from its third field on, as the second, the name, may hold blanks and brackets; nothing
 * where there is none. A killed process is a zombie ("Z") until its parent, or a container's first, asks.
 */
export function statOf(pid: number): Partial<Record<"state" | "group" | "start", string | undefined>> {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const { 0: state, 2: group, 19: start } = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state, group, start };
  } catch {
    return {};
  }
}

function thisPlace(): string {
  let place = hostname();
  try {
    place = `${readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    // Not Linux: the machine's name has to do.
  }
  return createHash("sha256").update(place).digest("hex").slice(0, 8);
}
