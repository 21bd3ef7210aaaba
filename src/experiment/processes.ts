import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { constants } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { readdirSync, readFileSync } from "node:fs";
import { isRunning, statOf } from "../files/owner.js";

/*
 * Servers and loads are sessions of their own: a signal at the terminal reaches the runner alone, which stops them in
 * order, and Linux shares processor time by session, so that a busy load does not starve the capture.
 *
 * When the runner ends, however it ends, its guard stops what is left: a shell that knows the groups and reads from the
 * runner until the end of the pipe between them. A command begins only once the guard knows it. On Linux it finds what
 * left its group, too, by a variable that only this runner's commands have.
 */

/** By which a later runner knows what an earlier one left. */
const VARIABLE = "SERVER_METRICS_EXPERIMENT";
/** How long a group may take to end by itself. */
const GRACE_MS = 10_000;
const POLL_MS = 50;

const GUARD = `
mark=$1
groups=" "
while read -r verb group; do
  case $verb in
    start) groups="$groups$group " ;;
    end) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
signal() {
  running=1
  left=$(grep -lzxF -e "$mark" /proc/[0-9]*/environ 2>/dev/null | tr -dc '0-9\\n')
  for process in $(for group in $groups; do echo "-$group"; done) $left; do
    kill -s "$1" -- "$process" 2>/dev/null && running=0
  done
  return $running
}
signal TERM
tenths=0
while [ $tenths -lt ${GRACE_MS / 100} ] && signal 0; do sleep 0.1; tenths=$((tenths + 1)); done
signal KILL
`;
/** Waits for a line from the runner; without one it ends. */
const GATE = 'read -r _ <&3 || exit 1; exec 3<&- >"$2" 2>&1; exec /bin/sh -c "$1"';

interface Command {
  /** For a shell. */
  readonly line: string;
  readonly cwd: string;
  /** Its output goes there. */
  readonly log: string;
}

/** How a command ended: with an exit code, or by a signal (128 and its number). */
interface Ended {
  readonly exitCode: number;
}

/** A command and all that it started. */
export class ProcessGroup {
  readonly ended: Promise<Ended>;
  /** Set once its first process has ended. */
  end: Ended | undefined;

  constructor(
    private readonly child: ChildProcess,
    readonly id: number,
    private readonly onEmpty: () => void,
  ) {
    this.ended = new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        this.end = { exitCode: code ?? 128 + (signal === null ? 0 : constants.signals[signal]) };
        resolve(this.end);
      });
    });
  }

  /** Ends all of it, after a grace. Settles when nothing of it runs. */
  async stop(graceMs = GRACE_MS): Promise<void> {
    await stopGroups([this.id], graceMs);
    await this.ended;
    this.child.unref();
    this.onEmpty();
  }
}

/** What one experiment has running. */
export class Processes {
  private readonly groups = new Set<ProcessGroup>();

  private constructor(
    private readonly guard: ChildProcess,
    private readonly token: string,
    /** What its commands have in `VARIABLE`. */
    private readonly mark: string,
  ) {}

  /** @param token of this experiment, and of no other */
  static begin(token: string): Processes {
    const mark = `${token}/${randomUUID()}`;
    const args = ["-c", GUARD, "sh", `${VARIABLE}=${mark}`];
    const guard = spawn("/bin/sh", args, { stdio: ["pipe", "ignore", "ignore"], detached: true });
    guard.unref();
    // A guard that is killed is missed only by a runner that is killed, too.
    guard.stdin.on("error", () => undefined);
    guard.on("error", () => undefined);
    return new Processes(guard, token, mark);
  }

  /** Starts a command once the guard knows of it. @throws Error when there is no shell to start it with */
  async start({ line, cwd, log }: Command): Promise<ProcessGroup> {
    const child = spawn("/bin/sh", ["-c", GATE, "sh", line, log], {
      cwd,
      detached: true,
      stdio: ["ignore", "ignore", "ignore", "pipe"],
      env: { ...process.env, [VARIABLE]: this.mark },
    });
    await new Promise((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", reject);
    });
    const id = child.pid ?? 0;
    const group = new ProcessGroup(child, id, () => {
      this.groups.delete(group);
      this.tell(`end ${id}`);
    });
    this.groups.add(group);
    await new Promise((resolve) => this.guard.stdin?.write(`start ${id}\n`, resolve));
    const gate = child.stdio[3];
    if (gate !== null && gate !== undefined && "end" in gate) {
      gate.on("error", () => undefined);
      gate.end("\n");
    }
    return group;
  }

  /** Ends what left its group, such as a server that goes on in the background. */
  async sweep(): Promise<void> {
    await stopLeftovers(this.token);
  }

  /** Ends all groups, and the guard. */
  async close(graceMs?: number): Promise<void> {
    await Promise.all([...this.groups].map((group) => group.stop(graceMs)));
    this.guard.stdin?.end();
  }

  private tell(line: string): void {
    this.guard.stdin?.write(`${line}\n`);
  }
}

/** Stops what an earlier runner of the same experiment left. @returns how many groups */
export async function stopLeftovers(token: string): Promise<number> {
  const groups = groupsWith(`${VARIABLE}=${token}/`);
  await stopGroups(groups, GRACE_MS);
  return groups.length;
}

async function stopGroups(groups: readonly number[], graceMs: number): Promise<void> {
  for (const [signal, limitMs] of [
    ["SIGTERM", graceMs],
    ["SIGKILL", GRACE_MS],
  ] as const) {
    for (const group of groups) send(group, signal);
    const end = performance.now() + limitMs;
    while (performance.now() < end && groups.some(isGroupRunning)) await wait(POLL_MS);
  }
}

function send(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // It has ended.
  }
}

/*
 * The processes of this machine, as /proc has them (proc(5)). Where there is none, a group is known by signalling it,
 * and leftovers are not found: the guard stops them.
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
function isGroupRunning(group: number): boolean {
  if (!isRunning(-group)) return false;
  const rows = processes();
  return rows.length === 0 || rows.some((row) => row.group === group);
}

/** Groups of the processes that were started with a variable of the environment, by how its assignment begins. */
function groupsWith(assignment: string): readonly number[] {
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
