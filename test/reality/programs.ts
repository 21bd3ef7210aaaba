import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, openSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

export const TOOLS = ["vllm", "dynamo", "llama-cpp", "aiperf", "guidellm", "inference-perf"] as const;
export type Tool = (typeof TOOLS)[number];

const PYTHON = "python3.11";
/** Of those that need another one. */
const PYTHONS: Partial<Record<Tool, string>> = { "inference-perf": "python3.12" };

const READY_MS = 300_000;
const END_MS = 30_000;
const LAST_LINES = 3;

/** Where the tools' virtual environments, the model and the logs lie. */
export class Workshop {
  constructor(
    /** The project's. */
    readonly root: string,
    readonly folder: string,
  ) {}

  get model(): string {
    return join(this.folder, "model");
  }

  program(tool: Tool, name: string): string {
    return join(this.folder, tool, "bin", name);
  }

  script(name: string): string {
    return join(this.root, "test/reality", name);
  }

  /** A new, empty folder. */
  async place(name: string): Promise<string> {
    const path = join(this.folder, "runs", name);
    await rm(path, { recursive: true, force: true });
    await mkdir(path, { recursive: true });
    return path;
  }

  /** Installs a tool's pinned packages, once. @throws Error with the installer's last lines */
  async install(tool: Tool): Promise<void> {
    if (existsSync(this.program(tool, "python"))) return;
    const folder = join(this.folder, tool);
    await this.finish(PYTHONS[tool] ?? PYTHON, ["-m", "venv", folder], `install-${tool}`);
    try {
      // The pins are all of them, and some packages ask for others that are needed nowhere.
      const pins = this.script(`requirements/${tool}.txt`);
      await this.finish(this.program(tool, "pip"), ["install", "--no-deps", "-r", pins], `install-${tool}`);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** Makes the model, once. */
  async makeModel(): Promise<void> {
    if (existsSync(join(this.model, "config.json"))) return;
    await this.finish(this.program("vllm", "python"), [this.script("make_model.py"), this.model], "model");
  }

  /** Runs a program to its end. @returns what it printed @throws Error with its last lines when it fails */
  async finish(command: string, args: readonly string[], name: string, cwd = this.folder): Promise<string> {
    const { child, log } = await this.begin(command, args, name, { cwd });
    const code = await endOf(child);
    const text = await readFile(log, "utf8");
    if (code !== 0) throw new Error(`${name} ended with ${String(code)}: ${lastLines(text)}`);
    return text;
  }

  /**
   * Starts a server in a session of its own, and waits until it answers.
   * @throws Error with its last lines when it ends or does not answer in time
   */
  async serve(
    command: string,
    args: readonly string[],
    { name, ready, env = {} }: { readonly name: string; readonly ready: string; readonly env?: NodeJS.ProcessEnv },
  ): Promise<Server> {
    const { child, log } = await this.begin(command, args, name, { cwd: this.folder, env });
    const server = new Server(child);
    for (const end = Date.now() + READY_MS; Date.now() < end;) {
      if (child.exitCode !== null) throw new Error(`${name} ended: ${lastLines(await readFile(log, "utf8"))}`);
      const answer = await fetch(ready).catch(() => undefined);
      if (answer?.ok === true) return server;
      await wait(500);
    }
    await server.stop();
    throw new Error(`${name} did not answer within ${READY_MS / 1000} s: ${lastLines(await readFile(log, "utf8"))}`);
  }

  private async begin(
    command: string,
    args: readonly string[],
    name: string,
    { cwd, env = {} }: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
  ) {
    await mkdir(join(this.folder, "logs"), { recursive: true });
    const log = join(this.folder, "logs", `${name}.log`);
    const file = openSync(log, "w");
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...QUIET, ...env },
      stdio: ["ignore", file, file],
      detached: true,
    });
    return { child, log };
  }
}

/** Nothing is reported to anyone, and no model is looked for. */
const QUIET = { VLLM_NO_USAGE_STATS: "1", DO_NOT_TRACK: "1", AIPERF_NO_TELEMETRY: "1" };

export class Server {
  constructor(private readonly child: ChildProcess) {}

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Ends it with all that it started. */
  async stop(): Promise<void> {
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (this.child.exitCode !== null || this.child.signalCode !== null) return;
      try {
        process.kill(-this.pid, signal);
      } catch {
        return;
      }
      await Promise.race([endOf(this.child), wait(END_MS, undefined, { ref: false })]);
    }
  }
}

function endOf(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
  return new Promise((resolve, reject) => {
    if (child.exitCode !== null) resolve(child.exitCode);
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve(code ?? signal));
  });
}

function lastLines(text: string): string {
  return text.trimEnd().split("\n").slice(-LAST_LINES).join(" | ").slice(-600);
}
