import {
  Disposable,
  LanguageModelTextPart,
  LanguageModelToolResult,
  lm,
  McpStdioServerDefinition,
  workspace,
  type LanguageModelTool,
} from "vscode";
import { AGENT_TOOL_NAMES, opensFiles, readsExperiments, type AgentToolName } from "../agents/names.js";
import type { AgentRoot } from "./capture/output-folder.js";
import { AgentThread } from "../agents/thread.js";
import { isReservedOrigin } from "../collect/origin.js";
import { VERSION } from "../files/version.js";
import { mayCapture, isUnapproved, type Origins } from "./origins.js";
import { commandVariables } from "./experiment/command-line.js";
import { TOOL_PREFIX } from "./command-ids.js";
import { SETTINGS } from "./settings/definitions.js";
import { openedFolder, readProvenance, readSetting } from "./settings/read.js";

export const MCP_PROVIDER = "serverMetrics.mcp";

const NO_FOLDER =
  "There is no folder for runs yet: the user has to open a folder, or capture once and choose where runs are written.";

const NOT_AGREED = "The user did not agree; nothing was done. Do not call it again unless the user asks for it.";

interface AgentParts {
  /** The bundled `agents.js`. */
  readonly workerPath: string;
  /** The bundled `cli.js`. */
  readonly cliPath: string;
  /** Of all runs, and the folder that this one must really lie in; undefined when none is known. */
  readonly folder: () => AgentRoot | undefined;
  readonly origins: Origins;
}

/**
 * What agents in the editor can ask: the tools of `server-metrics mcp` as language-model tools, and that server itself
 * where the editor has a place for it. Answers are worked out in two threads, which their first calls start: captures
 * do not end with a file that needs too much memory.
 */
export class AgentTools {
  private readonly reading: AgentThread;
  private readonly capturing: AgentThread;

  constructor(private readonly parts: AgentParts) {
    this.reading = new AgentThread(parts.workerPath, () => readSetting(SETTINGS.memoryLimit));
    this.capturing = new AgentThread(parts.workerPath, () => undefined);
  }

  register(): Disposable {
    return Disposable.from(
      ...AGENT_TOOL_NAMES.map((name) => lm.registerTool(TOOL_PREFIX + name, this.tool(name))),
      ...this.mcpServers(),
    );
  }

  /** Ends captures that agents began, and writes their files. */
  async end(): Promise<void> {
    await Promise.all([this.reading.kill(), this.capturing.end()]);
  }

  private tool(name: AgentToolName): LanguageModelTool<unknown> {
    return { invoke: async ({ input }) => result(await this.answer(name, input)) };
  }

  private async answer(tool: AgentToolName, input: unknown): Promise<string> {
    const project = readsExperiments(tool) ? openedFolder() : undefined;
    const root = project === undefined ? this.parts.folder() : { folder: project };
    if (root === undefined) return NO_FOLDER;
    if (opensFiles(tool)) return (await this.reading.answer({ tool, input, ...root })).text;
    if (tool === "start_capture" && !(await mayCapture()))
      return "The workspace is not trusted: nothing was done. Only the user can trust it.";
    const { client } = this.capturing;
    const named = this.parts.origins.named();
    const contacts = await client.call("contacts", { tool, input });
    const allowed = contacts.filter((origin) => !named.has(origin) && !isReservedOrigin(origin));
    try {
      await this.parts.origins.require(
        "agent",
        allowed.map((url) => ({ url })),
      );
    } catch (error) {
      if (isUnapproved(error)) return NOT_AGREED;
      throw error;
    }
    const provenance = tool === "start_capture" ? readProvenance() : undefined;
    const recorded = provenance === undefined ? {} : { provenance };
    return (await client.call("call", { tool, input, ...root, named: [...named], allowed, ...recorded })).text;
  }

  private mcpServers(): readonly Disposable[] {
    const Definition = McpStdioServerDefinition;
    if (Definition === undefined || lm.registerMcpServerDefinitionProvider === undefined) return [];
    return [
      lm.registerMcpServerDefinitionProvider(MCP_PROVIDER, {
        onDidChangeMcpServerDefinitions: workspace.onDidGrantWorkspaceTrust,
        provideMcpServerDefinitions: () => {
          const root = this.parts.folder();
          if (root === undefined || !workspace.isTrusted) return [];
          const { cliPath } = this.parts;
          const within = root.inside === undefined ? [] : ["--within", root.inside];
          const env = commandVariables();
          const project = openedFolder();
          const parts = readProvenance()?.parts.join(",") ?? "none";
          const more = ["--provenance", parts, ...(project === undefined ? [] : ["--project", project])];
          const named = [...this.parts.origins.named()].flatMap((origin) => ["--allow-capture", origin]);
          return [
            new Definition(
              "Server Metrics",
              process.execPath,
              [cliPath, "mcp", root.folder, "--make", ...within, ...more, ...named],
              env,
              VERSION,
            ),
          ];
        },
      }),
    ];
  }
}

function result(text: string): LanguageModelToolResult {
  return new LanguageModelToolResult([new LanguageModelTextPart(text)]);
}
