import { readdirSync, readFileSync } from "node:fs";
import { isRunning, statOf } from "../files/owner.js";

/*
 * The processes of this machine, as /proc has them (proc(5)). Where there is none, a group is known by signalling it,
 * and leftovers are not found: the guard (`processes.ts`) stops them.
 */

interface ProcessRow {
  readonly pid: number;
  readonly group: number;
}

/** Those that run; a zombie has ended. */
function processes(): readonly ProcessRow[] {
  return names("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const { state, group } = statOf(Number(name));
    return state === undefined || group === undefined || state === "Z" || state === "X"
      ? []
      : [{ pid: Number(name), group: Number(group) }];
  });
}

/** Whether a process of the group runs. */
export function isGroupRunning(group: number): boolean {
  if (!isRunning(-group)) return false;
  const rows = processes();
  return rows.length === 0 || rows.some((row) => row.group === group);
}

/** Groups of the processes that were started with a variable of the environment, by how its assignment begins. */
export function groupsWith(assignment: string): readonly number[] {
  const hasIt = (variable: string) => variable.startsWith(assignment);
  const found = processes().filter(({ pid }) => textOf(`/proc/${pid}/environ`).split("\0").some(hasIt));
  return [...new Set(found.map(({ group }) => group))];
}

function names(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** "" of one that has ended meanwhile, or is another user's. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
