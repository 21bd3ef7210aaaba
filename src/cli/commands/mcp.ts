import { join } from "node:path";
import { once } from "node:events";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { originOf } from "../../collect/index.js";
import { UserError } from "../../core/text/index.js";
import {
  AGENT_TOOLS,
  AgentCaptures,
  callTool,
  failedAnswer,
  READING_MEMORY,
  READING_SECONDS_VARIABLE,
  RunFolder,
  RunReader,
  type AgentContext,
  type AgentTool,
  type Consent,
} from "../../agents/index.js";
import { AGENT_TOOL_NAMES, opensFiles, readsExperiments } from "../../agents/names.js";
import { AgentThread } from "../../agents/thread.js";
import { MEMORY_OPTION_VARIABLE, READING_PROCESS_VARIABLE } from "../../files/memory.js";
import { VERSION } from "../../files/index.js";
import { readNamedText } from "../../files/opener.js";
import { memoryMiB } from "../input/memory.js";
import { inRange } from "../options/numbers.js";
import { asArgument, provenanceOption, type FlagsOf } from "../options/shared.js";
import { note } from "../print/terminal.js";

const SKILL_URI = "server-metrics://skill";
const INSTRUCTIONS =
  "Reads captured runs of LLM inference servers (Prometheus metrics). Begin with list_runs, then describe_run: its " +
  "findings come first. Ids of one answer go into the next call. Values have full precision, in the unit beside them. " +
  `The resource ${SKILL_URI} explains how to read a run.`;

/** Longest that reading a file may take, seconds: clients wait a minute for an answer. */
const READING_SECONDS = 45;

/** Beyond that time, for a step that nothing interrupts: its thread is ended. */
const GRACE_SECONDS = 5;

/** `mcp`: the tools of agents over standard input and output. */
export function mcpCommand(): CommandUnknownOpts {
  return options().action(serve);
}

function options() {
  return new Command("mcp")
    .summary("serve the runs of a folder to agents (Model Context Protocol)")
    .description(
      "Serves the runs below a folder over standard input and output, for clients of the Model Context Protocol. Nothing outside of the folder and the project is read; only servers that you allow are captured.",
    )
    .argument("[folder]", "folder that holds the runs", ".")
    .option(
      "--allow-capture <origin>",
      "server that may be captured, such as http://localhost:8000; for others the client asks you, if it can (repeatable)",
      (text: string, before: readonly string[] = []) => [...before, asArgument(() => originOf(text))],
    )
    .option(
      "--memory-limit <MiB>",
      "most memory that reading a file may take (default: 900, or 9 times the file's size)",
      memoryMiB,
    )
    .option(
      "--time-limit <s>",
      `longest that reading a file may take (default: ${READING_SECONDS}, as clients wait a minute for an answer)`,
      inRange({ min: 1, max: 86_400, unit: "seconds" }),
    )
    .option(
      "--project <folder>",
      "folder of the project: its experiments are shown, and captures record its Git commit (default: the folder of the runs)",
    )
    .addOption(provenanceOption())
    .option("--make", "make the folder where there is none")
    .option("--within <folder>", "serve the folder only if it really lies in this one, wherever links lead");
}

/** Until the client goes away. Captures under way are then stopped and written. @throws UserError */
async function serve(
  path: string,
  {
    memoryLimit = READING_MEMORY.memoryMiB,
    timeLimit = READING_SECONDS,
    within,
    make,
    allowCapture = [],
    project: projectPath,
    provenance: parts,
  }: FlagsOf<typeof options>,
): Promise<void> {
  process.env[MEMORY_OPTION_VARIABLE] = "--memory-limit";
  process.env[READING_PROCESS_VARIABLE] = "1";
  process.env[READING_SECONDS_VARIABLE] = String(timeLimit);
  const folder = await RunFolder.at(path, { make: make === true, ...(within === undefined ? {} : { inside: within }) });
  const project = projectPath === undefined ? folder : await RunFolder.at(projectPath);
  const captures = new AgentCaptures(folder);
  // Files may be made to need any amount of memory, in a single step too: what ends then is a thread, and no capture.
  const reading = new AgentThread(join(__dirname, "agents.js"), () => memoryLimit, timeLimit + GRACE_SECONDS);
  const server = new Server(
    { name: "server-metrics", title: "Server Metrics", version: VERSION },
    { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS },
  );
  const agreed = new Set<string>();
  const context: AgentContext = {
    runs: new RunReader(folder),
    captures,
    origins: { named: new Set(allowCapture), allow: (origins) => allow(server, agreed, origins) },
    ...(parts.length === 0 ? {} : { provenance: { parts, folder: project.path } }),
  };
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: AGENT_TOOLS.map(offered) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const tool = AGENT_TOOLS.find(({ name }) => name === params.name);
    const { text, isError } =
      tool === undefined
        ? failedAnswer(new UserError(`There is no tool ${params.name}.`, `There are ${AGENT_TOOL_NAMES.join(", ")}.`))
        : opensFiles(tool.name)
          ? await reading
              .answer({
                tool: tool.name,
                input: params.arguments,
                folder: readsExperiments(tool.name) ? project.path : folder.path,
              })
              .catch(failedAnswer)
          : await callTool(tool, params.arguments, context);
    return { content: [{ type: "text", text }], isError };
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: [{ uri: SKILL_URI, name: "How to read a run", mimeType: "text/markdown" }],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
    if (uri !== SKILL_URI) throw new Error(`There is no resource ${uri}. There is ${SKILL_URI}.`);
    // Beside the folder of the bundle, in the package as in the extension.
    const text = await readNamedText(join(__dirname, "../media/skills/server-metrics/SKILL.md"));
    return { contents: [{ uri, mimeType: "text/markdown", text }] };
  });
  const gone = ended();
  await server.connect(new StdioServerTransport());
  note(`Serving the runs below ${folder.path}.`);
  await gone;
  await Promise.all([captures.stopAll(), reading.kill()]);
  await server.close();
}

function offered({ name, title, description, inputSchema, readOnly }: AgentTool) {
  return {
    name,
    title,
    description,
    inputSchema: { ...inputSchema, type: "object" as const },
    annotations: { title, readOnlyHint: readOnly, destructiveHint: !readOnly, openWorldHint: !readOnly },
  };
}

/** Has the client ask the user, once for each server, where it can. */
async function allow(server: Server, agreed: Set<string>, origins: readonly string[]): Promise<Consent> {
  const others = origins.filter((origin) => !agreed.has(origin));
  if (others.length === 0) return "yes";
  if (server.getClientCapabilities()?.elicitation === undefined) return "cannot-ask";
  const message = `Allow captures of ${others.join(", ")} until this server ends? Requests are sent there, and files are written.`;
  const { action, content } = await server.elicitInput({
    message,
    requestedSchema: {
      type: "object",
      properties: { agree: { type: "boolean", title: "Agree", description: message } },
      required: ["agree"],
    },
  });
  if (action !== "accept" || content?.["agree"] !== true) return "no";
  for (const origin of others) agreed.add(origin);
  return "yes";
}

/** Settles when the client closes its end, or this process gets a signal to end. */
async function ended(): Promise<void> {
  const over = new AbortController();
  const ways = [
    ...["SIGINT", "SIGTERM", "SIGHUP"].map((name) => once(process, name, over)),
    ...["end", "close"].map((name) => once(process.stdin, name, over)),
  ];
  await Promise.race(ways).finally(() => {
    for (const way of ways) way.catch(() => undefined);
    over.abort();
  });
}
