import { EventEmitter as NodeEmitter } from "node:events";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { cliFolder } from "../support/cli-folder.js";
import { CLI, until } from "../support/cli.js";
import { memento } from "../support/memento.js";

interface Terminal {
  readonly onDidWrite: (listener: (text: string) => void) => void;
  readonly onDidClose: (listener: (code: number) => void) => void;
  open(): void;
}

const { vscode, asked, ended } = vi.hoisted(() => {
  const asked: string[] = [];
  const ended: number[] = [];
  const state = { isTrusted: true, answer: "Run" as string | undefined };
  return { vscode: state, asked, ended };
});

vi.mock("vscode", () => {
  class EventEmitter {
    private readonly own = new NodeEmitter();
    readonly event = (listener: (value: unknown) => void) => this.own.on("event", listener);
    fire(value: unknown): void {
      this.own.emit("event", value);
    }
  }
  class CustomExecution {
    constructor(readonly callback: () => Promise<Terminal>) {}
  }
  class Task {
    constructor(
      readonly definition: unknown,
      readonly scope: unknown,
      readonly name: string,
      readonly source: string,
      readonly execution: CustomExecution,
    ) {}
  }
  return {
    EventEmitter,
    CustomExecution,
    Task,
    ProcessExecution: class {
      constructor(
        readonly program: string,
        readonly args: readonly string[],
        readonly options: { readonly env: Readonly<Record<string, string>> },
      ) {}
    },
    TaskRevealKind: {},
    TaskScope: {},
    MarkdownString: class {},
    TreeItem: class {},
    ProgressLocation: {},
    CodeLens: class {},
    Range: class {},
    languages: {},
    Uri: { joinPath: ({ fsPath }: { readonly fsPath: string }, name: string) => uriOf(path.join(fsPath, name)) },
    commands: {},
    tasks: {
      registerTaskProvider: () => ({ dispose: () => undefined }),
      executeTask: async ({ execution }: Task) => {
        const terminal = await execution.callback();
        terminal.onDidClose((code) => ended.push(code));
        terminal.open();
      },
    },
    window: {
      showWarningMessage: (message: string, { detail }: { readonly detail: string }) => {
        asked.push(`${message}\n${detail}`);
        return Promise.resolve(vscode.answer);
      },
    },
    workspace: {
      get isTrusted() {
        return vscode.isTrusted;
      },
      getConfiguration: () => ({ get: () => [{ url: "gpu-7:8000" }, { url: "gpu-8:8000", enabled: false }] }),
      asRelativePath: ({ fsPath }: { readonly fsPath: string }) => path.basename(fsPath),
      getWorkspaceFolder: ({ fsPath }: { readonly fsPath: string }) =>
        fsPath.startsWith(file("")) ? { uri: uriOf(file("")) } : undefined,
    },
  };
});

const { ExperimentTasks } = await import("../../src/extension/experiment/tasks.js");
const { file } = cliFolder();
const uriOf = (fsPath: string) => ({ scheme: "file", path: fsPath, fsPath }) as never;

/** An experiment whose servers never become ready. */
async function experiment(server: string): Promise<void> {
  const text = `question: Is b better than a?
endpoints: [http://127.0.0.1:9/metrics]
configurations: [{ name: a, server: "${server}" }, { name: b, server: "${server}" }]
loads: [{ name: load, command: touch ran }]
primary: { metric: my_latency, statistic: avg, relevant: 3%, better: lower }
`;
  await writeFile(file("e.experiment.yaml"), text);
}

describe.skipIf(process.platform !== "linux")("a task of an experiment", () => {
  const make = () =>
    new ExperimentTasks({ cliPath: CLI, memory: memento(), notifier: { error: () => undefined } as never });
  beforeEach(() => {
    asked.splice(0);
    ended.splice(0);
    Object.assign(vscode, { isTrusted: true, answer: "Run" });
  });

  it("runs in trusted workspaces, and files of the workspace alone", async () => {
    const tasks = make();
    await experiment("exit 7");
    vscode.isTrusted = false;
    vscode.answer = undefined;
    await tasks.run(uriOf(file("e.experiment.yaml")));
    expect(asked.join()).toMatch(/not trusted.*Trust the workspace, then run the experiment again/s);
    vscode.isTrusted = true;
    await expect(tasks.run(uriOf("/elsewhere/e.experiment.yaml"))).rejects.toThrow(/outside of the workspace/);
    expect(ended).toEqual([]);
  });

  it("asks for its commands once, and again when they change", async () => {
    const tasks = make();
    const uri = uriOf(file("e.experiment.yaml"));
    await experiment("echo one; exit 7");
    vscode.answer = undefined;
    await tasks.run(uri);
    expect(asked).toEqual([expect.stringMatching(/echo one; exit 7\ntouch ran/)]);
    expect(ended).toEqual([]);
    vscode.answer = "Run";
    await tasks.run(uri);
    await until("its end", () => ended.length === 1);
    // No run counts: it could not run.
    expect(ended).toEqual([2]);
    expect(asked).toHaveLength(2);
    await tasks.run(uri, true);
    await until("its end", () => ended.length === 2);
    expect(asked).toHaveLength(2);
    await experiment("echo two; exit 7");
    await tasks.run(uri);
    expect(asked[2]).toMatch(/echo two/);
    await until("its end", () => ended.length === 3);
    // Other servers, but no run of before counts: it goes on, and no run counts again.
    expect(ended).toEqual([2, 2, 2]);
    expect(tasks.stateOf(file("e.experiment.yaml"))).toEqual({});
  });

  it("is resolved from tasks.json with its own definition", () => {
    const definition = { type: "server-metrics", experiment: "e.experiment.yaml" };
    const task = make().resolveTask({ definition, scope: { uri: uriOf(file("")) } } as never);
    expect(task?.definition).toBe(definition);
    expect([task?.source, task?.name].join(": ")).toBe("server-metrics: experiment e.experiment.yaml");
  });

  it("captures around a command that tasks.json names, and ends as it does", () => {
    const definition = { type: "server-metrics", command: "capture", run: "exit 7", args: ["--duration", "5s"] };
    const task = make().resolveTask({ definition } as never);
    expect([task?.source, task?.name, task?.definition]).toEqual(["server-metrics", "capture", definition]);
    const { args } = task?.execution as unknown as { readonly args: readonly string[] };
    expect(args.slice(1)).toEqual([
      "capture",
      "--url",
      "gpu-7:8000",
      "--duration",
      "5s",
      "--",
      "/bin/sh",
      "-c",
      "exit 7",
    ]);
    expect(make().resolveTask({ definition: { ...definition, args: "--force" } } as never)).toBeUndefined();
  });

  it("is stopped now, and says that it stops", async () => {
    const tasks = make();
    await experiment("sleep 60");
    const uri = uriOf(file("e.experiment.yaml"));
    await tasks.run(uri);
    await until("it to run", () => tasks.stateOf(file("e.experiment.yaml")).running === "yes");
    await expect(tasks.run(uri)).rejects.toThrow(/runs already/);
    tasks.stop(file("e.experiment.yaml"), undefined, true);
    expect(tasks.stateOf(file("e.experiment.yaml"))).toEqual({ running: "stopping" });
    await until("its end", () => ended.length === 1);
    expect(tasks.stateOf(file("e.experiment.yaml"))).toEqual({});
  });
});
