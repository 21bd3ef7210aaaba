import {
  Disposable,
  LanguageModelTextPart,
  LanguageModelToolResult,
  lm,
  McpStdioServerDefinition,
  type LanguageModelTool,
} from "vscode";
import { AGENT_TOOL_NAMES, type AgentToolName } from "../agents/names.js";
import type { AgentRequests } from "../agents/requests.js";
import { secretParameters } from "../core/model/index.js";
import { spawnWorker } from "../engine/client.js";
import { SECRET_PARAMETERS_VARIABLE } from "../engine/worker-secrets.js";
import { VERSION } from "../files/version.js";
import { mayCapture } from "./capture/trust.js";
import { SETTINGS } from "./settings/definitions.js";
import { readSetting } from "./settings/read.js";
import { toolQuestion } from "./sinks.js";

/** In the manifest too: tools of all extensions share one list of names. */
export const TOOL_PREFIX = "server_metrics_";
export const MCP_PROVIDER = "serverMetrics.mcp";

const NO_FOLDER =
  "There is no folder for runs yet: the user has to open a folder, or capture once and choose where runs are written.";

type AgentWorker = ReturnType<typeof spawnWorker<AgentRequests, Record<string, never>>>;

interface AgentParts {
  /** The bundled `agents.js`. */
  readonly workerPath: string;
  /** The bundled `cli.js`. */
  readonly cliPath: string;
  /** Of all runs; undefined when none is known. */
  readonly folder: () => string | undefined;
}

/**
 * What agents in the editor can ask: the tools of `server-metrics mcp` as language-model tools, and that server itself
 * where the editor has a place for it. Answers are worked out in a thread of their own, which the first call starts.
 */
export class AgentTools {
  private worker: AgentWorker | undefined;

  constructor(private readonly parts: AgentParts) {}

  register(): Disposable {
    return Disposable.from(
      ...AGENT_TOOL_NAMES.map((name) => lm.registerTool(TOOL_PREFIX + name, this.tool(name))),
      ...this.mcpServers(),
    );
  }

  /** Ends captures that agents began, and writes their files. */
  async end(): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    if (worker === undefined) return;
    await worker.client.call("stopCaptures", {});
    await worker.dispose();
  }

  private tool(name: AgentToolName): LanguageModelTool<unknown> {
    return {
      prepareInvocation: async ({ input }) => {
        const question = await this.client().call("question", { tool: name, input });
        return question === null ? {} : { confirmationMessages: toolQuestion("Server Metrics", question) };
      },
      invoke: async ({ input }) => result(await this.answer(name, input)),
    };
  }

  private async answer(tool: AgentToolName, input: unknown): Promise<string> {
    const folder = this.parts.folder();
    if (folder === undefined) return NO_FOLDER;
    if (tool === "start_capture" && !(await mayCapture()))
      return "The workspace is not trusted: nothing was done. Only the user can trust it.";
    return (await this.client().call("call", { tool, input, folder })).text;
  }

  private client(): AgentWorker["client"] {
    if (this.worker !== undefined) return this.worker.client;
    const worker = spawnWorker<AgentRequests, Record<string, never>>(this.parts.workerPath, "server-metrics agents", {
      memoryMiB: readSetting(SETTINGS.memoryLimit),
    });
    const forget = () => {
      if (this.worker === worker) this.worker = undefined;
    };
    // Pending calls have been rejected with the reason; the next one starts another.
    worker.exited.then(forget, forget);
    this.worker = worker;
    return worker.client;
  }

  private mcpServers(): readonly Disposable[] {
    const Definition = McpStdioServerDefinition;
    if (Definition === undefined || lm.registerMcpServerDefinitionProvider === undefined) return [];
    return [
      lm.registerMcpServerDefinitionProvider(MCP_PROVIDER, {
        provideMcpServerDefinitions: () => {
          const folder = this.parts.folder();
          if (folder === undefined) return [];
          const { cliPath } = this.parts;
          // The editor's own executable, which is Node with this variable.
          const env = { ELECTRON_RUN_AS_NODE: "1", [SECRET_PARAMETERS_VARIABLE]: secretParameters().join(",") };
          return [new Definition("Server Metrics", process.execPath, [cliPath, "mcp", folder], env, VERSION)];
        },
      }),
    ];
  }
}

function result(text: string): LanguageModelToolResult {
  return new LanguageModelToolResult([new LanguageModelTextPart(text)]);
}
