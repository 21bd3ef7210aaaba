import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { SECRET_PARAMETERS, useSecretParameters } from "../../src/core/text/index.js";
import { runCli } from "../support/cli.js";
import { aiperfRecords, simulatedRequests } from "../support/client-run.js";
import { answerOf } from "../support/mcp.js";
import { root } from "../workbench/project.mjs";
import { memento } from "../support/memento.js";

interface Result {
  readonly content: readonly { readonly value: string }[];
}
interface Tool {
  invoke(options: { input: unknown }): Promise<Result>;
}
interface Definition {
  readonly given: readonly unknown[];
}
interface McpProvider {
  provideMcpServerDefinitions(): readonly Definition[];
}

const { vscode, tools, providers } = vi.hoisted(() => {
  const tools = new Map<string, Tool>();
  const providers = new Map<string, McpProvider>();
  const nothing = { dispose: () => undefined };
  const vscode = {
    pressed: undefined as string | undefined,
    asked: [] as string[],
    workspace: {
      isTrusted: true,
      onDidGrantWorkspaceTrust: () => nothing,
      workspaceFolders: [] as { uri: { scheme: string; fsPath: string } }[],
      // The tools read a limit of memory and what captures record; the user has no setting that names servers.
      getConfiguration: () => ({
        get: (key: string) => (key === "serverMetrics.provenance" ? ["git"] : 900),
        inspect: (key: string) => ({ globalValue: key === "serverMetrics.endpoints" ? vscode.endpoints : undefined }),
      }),
    },
    endpoints: [] as readonly object[],
    window: {
      showWarningMessage: (message: string, { detail }: { detail: string }) => {
        vscode.asked.push(`${message} ${detail}`);
        return Promise.resolve(vscode.pressed);
      },
    },
    commands: { executeCommand: () => Promise.resolve() },
    Disposable: { from: () => nothing },
    LanguageModelTextPart: class {
      constructor(readonly value: string) {}
    },
    LanguageModelToolResult: class {
      constructor(readonly content: unknown) {}
    },
    McpStdioServerDefinition: class {
      readonly given: readonly unknown[];
      constructor(...given: unknown[]) {
        this.given = given;
      }
    } as unknown,
    lm: {
      registerTool: (name: string, tool: Tool) => (tools.set(name, tool), nothing),
      registerMcpServerDefinitionProvider: ((id: string, provider: McpProvider) => (
        providers.set(id, provider),
        nothing
      )) as unknown,
    },
    MarkdownString: class {},
    TreeItem: class {},
    ProgressLocation: {},
  };
  return { vscode, tools, providers };
});
vi.mock("vscode", () => vscode);
const { AgentTools } = await import("../../src/extension/agents.js");
const { Origins } = await import("../../src/extension/origins.js");

const origins = new Origins(memento());

let base: string;
let folder: string | undefined;
let project: string;
let server: Server;
let url: string;
let requests = 0;
let agents: InstanceType<typeof AgentTools>;

beforeAll(async () => {
  server = createServer((_request, response) => {
    requests++;
    response.setHeader("content-type", "text/plain; version=0.0.4");
    response.end("# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running 3\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
  base = await mkdtemp(path.join(tmpdir(), "server-metrics-agents-"));
  folder = path.join(base, "runs");
  project = path.join(base, "project");
  const git = ["-c", "user.name=t", "-c", "user.email=t@t.invalid"];
  execFileSync("git", ["init", "--quiet", project]);
  execFileSync("git", ["-C", project, ...git, "commit", "--quiet", "--allow-empty", "--message", "first"]);
  vscode.workspace.workspaceFolders = [{ uri: { scheme: "file", fsPath: project } }];
  agents = new AgentTools({
    workerPath: path.join(root, "dist/agents.js"),
    cliPath: path.join(root, "dist/cli.js"),
    folder: () => (folder === undefined ? undefined : { folder }),
    origins,
  });
  agents.register();
});
afterAll(async () => {
  await agents.end();
  server.close();
  await rm(base, { recursive: true, force: true });
});
beforeEach(() => {
  vscode.workspace.isTrusted = true;
  vscode.pressed = "Allow";
  vscode.asked.splice(0);
  folder = path.join(base, "runs");
});

const tool = (name: string): Tool => {
  const found = tools.get(`server_metrics_${name}`);
  if (found === undefined) throw new Error(`no tool ${name}`);
  return found;
};
const call = async (name: string, input: object = {}) => (await tool(name).invoke({ input })).content[0]?.value ?? "";

describe("language-model tools", () => {
  it("are registered under the names of the manifest", async () => {
    const manifest = JSON.parse(await readFile(path.join(root, "package.json"), "utf8")) as {
      contributes: {
        languageModelTools: readonly { name: string }[];
        mcpServerDefinitionProviders: readonly { id: string }[];
      };
    };
    expect([...tools.keys()]).toEqual(manifest.contributes.languageModelTools.map(({ name }) => name));
    expect([...providers.keys()]).toEqual(manifest.contributes.mcpServerDefinitionProviders.map(({ id }) => id));
  });

  it("contact a server only when the user has allowed it, or named it", async () => {
    expect(await call("start_capture", { urls: [] })).toContain("start_capture cannot be called like this");
    expect(await call("start_capture", { urls: ["http://169.254.169.254/"] })).toContain("link-local");
    expect(vscode.asked).toEqual([]);
    vscode.pressed = undefined;
    expect(await call("start_capture", { urls: [url.replace("//", "//localhost@")] })).toContain("did not agree");
    expect(vscode.asked[0]).toContain(`An agent asks to capture:\n${new URL(url).origin}\n`);
    expect(requests).toBe(0);
    // An answer is kept, until it is taken back.
    vscode.pressed = "Allow";
    const start = async () => String(answerOf(await call("start_capture", { urls: [url] }))["capture"]);
    await call("stop_capture", { capture: await start() });
    await call("stop_capture", { capture: await start() });
    expect(vscode.asked).toHaveLength(2);
    expect(await origins.forget()).toBe(1);
    await call("stop_capture", { capture: await start() });
    expect(vscode.asked).toHaveLength(3);
    await origins.forget();
    vscode.endpoints = [{ url }];
    await call("stop_capture", { capture: await start() });
    expect(vscode.asked).toHaveLength(3);
    vscode.endpoints = [];
  });

  it("say that there are no runs yet, and begin one where their folder has still to be made", async () => {
    folder = path.join(base, "of", "none");
    expect(JSON.parse(await call("list_runs"))).toMatchObject({
      data: { error: expect.stringMatching(/^There are no runs yet: /) as string, remedy: "start_capture begins one." },
    });
    expect(existsSync(folder)).toBe(false);
    const [definition] = providers.get("serverMetrics.mcp")?.provideMcpServerDefinitions() ?? [];
    expect(definition?.given[2]).toContain("--make");
    await mkdir(folder, { recursive: true });
    expect(answerOf(await call("list_runs"))).toMatchObject({ runs: [], total_runs: 0 });
    // Results of a client alone are no run that another tool takes.
    const results = path.join(folder, "profile_export.jsonl");
    await writeFile(results, aiperfRecords(simulatedRequests()));
    expect(answerOf(await call("list_runs", { columns: ["run"] }))).toMatchObject({ runs: [], total_runs: 0 });
    await rm(results);
  });

  it("capture and describe a run, and say what to do without one", async () => {
    const started = answerOf(await call("start_capture", { urls: [url], interval_ms: 50, label: "agent" })) as {
      capture: string;
    };
    await vi.waitFor(
      async () => {
        const { capturing } = answerOf(await call("list_runs")) as { capturing: readonly { seconds: number }[] };
        expect(capturing[0]?.seconds).toBeGreaterThan(0.2);
      },
      { timeout: 100_000, interval: 50 },
    );
    const stopped = answerOf(await call("stop_capture", { capture: started.capture })) as { run: string };
    expect(answerOf(await call("describe_run", { run: stopped.run }))).toMatchObject({ total_metrics: 1 });
    const { input_config: config } = JSON.parse(
      await readFile(path.join(folder ?? "", `${stopped.run}.json`), "utf8"),
    ) as { input_config: { provenance: unknown } };
    const commit = execFileSync("git", ["-C", project, "rev-parse", "HEAD"], { encoding: "utf8" }).trim();
    expect(config.provenance).toMatchObject({ git: { commit } });
    expect(await call("describe_run", { run: "another" })).toContain("list_runs");
    folder = undefined;
    expect(await call("list_runs")).toContain("no folder");
  });

  it("read experiments of the project, where there are no runs yet, too", async () => {
    folder = path.join(base, "of", "nothing");
    const run = await runCli(["experiment", "init"], { cwd: project });
    expect(run.code).toBe(0);
    const plan = answerOf(await call("plan_experiment", { experiment: "demo.experiment.yaml" }));
    const { stdout } = await runCli(["experiment", "plan", "demo.experiment.yaml"], { cwd: project });
    expect((plan["plan"] as string[]).join("\n")).toBe(stdout.trimEnd());
  });

  it("capture nothing in a workspace that is not trusted", async () => {
    vscode.workspace.isTrusted = false;
    expect(await call("start_capture", { urls: [url], duration_seconds: 1 })).toContain("not trusted");
    expect(answerOf(await call("list_runs"))).not.toHaveProperty("capturing");
  });

  it("start no thread when they end unused", async () => {
    const unused = new AgentTools({ workerPath: "/nowhere.js", cliPath: "", folder: () => undefined, origins });
    await expect(unused.end()).resolves.toBeUndefined();
  });
});

describe("the MCP server for the editor", () => {
  it("is the command line over the folder of the runs, with the names of secret parameters that the settings have", () => {
    useSecretParameters(["sas", "token"]);
    const provider = providers.get("serverMetrics.mcp");
    const [definition] = provider?.provideMcpServerDefinitions() ?? [];
    const more = ["--provenance", "git", "--project", project];
    expect(definition?.given.slice(0, 4)).toEqual([
      "Server Metrics",
      process.execPath,
      [path.join(root, "dist/cli.js"), "mcp", folder, "--make", ...more],
      { ELECTRON_RUN_AS_NODE: "1", SERVER_METRICS_SECRET_PARAMETERS: "sas,token" },
    ]);
    useSecretParameters(SECRET_PARAMETERS);
    vscode.endpoints = [{ url: "gpu:8000" }];
    const [named] = provider?.provideMcpServerDefinitions() ?? [];
    expect((named?.given[2] as string[]).slice(-2)).toEqual(["--allow-capture", "http://gpu:8000"]);
    vscode.endpoints = [];
    vscode.workspace.isTrusted = false;
    expect(provider?.provideMcpServerDefinitions()).toEqual([]);
    vscode.workspace.isTrusted = true;
    folder = undefined;
    expect(provider?.provideMcpServerDefinitions()).toEqual([]);
  });

  it("is left out by an editor that has no place for it", () => {
    providers.clear();
    const { McpStdioServerDefinition: definition } = vscode;
    vscode.McpStdioServerDefinition = undefined;
    vscode.lm.registerMcpServerDefinitionProvider = undefined;
    new AgentTools({ workerPath: "", cliPath: "", folder: () => undefined, origins }).register();
    vscode.McpStdioServerDefinition = definition;
    expect(providers.size).toBe(0);
  });
});
