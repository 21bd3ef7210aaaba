import { existsSync } from "node:fs";
import { errorText } from "../core/model/index.js";
import { hostPort } from "../engine/port.js";
import { adoptSecretParameters } from "../engine/worker-secrets.js";
import { ChannelServer } from "../protocol/index.js";
import { AgentCaptures } from "./captures.js";
import { RunFolder, type RootOptions } from "./folder.js";
import { AGENT_TOOLS } from "./index.js";
import { RunReader } from "./reader.js";
import type { AgentRequests } from "./requests.js";
import { callTool, type AgentContext } from "./tool.js";

adoptSecretParameters();

/** By folder: captures under way are known to the calls that follow. */
const contexts = new Map<string, Promise<AgentContext>>();

function contextOf(path: string, options: RootOptions): Promise<AgentContext> {
  const known = contexts.get(path);
  if (known !== undefined) return known;
  const made = RunFolder.at(path, options).then((folder): AgentContext => ({
    runs: new RunReader(folder),
    captures: new AgentCaptures(folder),
    // The editor has asked already: it shows `question` before it calls.
    confirm: () => Promise.resolve("yes"),
  }));
  contexts.set(path, made);
  return made.catch((error: unknown) => {
    contexts.delete(path);
    throw error;
  });
}

const toolNamed = (name: string) => AGENT_TOOLS.find((tool) => tool.name === name);

new ChannelServer<AgentRequests, Record<string, never>>(hostPort(), {
  question: ({ tool, input }) => {
    try {
      return toolNamed(tool)?.question(input) ?? null;
    } catch {
      // The call itself says what is wrong with it.
      return null;
    }
  },
  call: async ({ tool: name, input, folder, ...root }) => {
    const tool = toolNamed(name);
    if (tool === undefined) return { text: `There is no tool ${name}.`, isError: true };
    try {
      if (tool.readOnly && !existsSync(folder))
        return { text: `There are no runs yet: ${folder} does not exist. start_capture begins one.`, isError: true };
      return await callTool(tool, input, await contextOf(folder, { ...root, make: !tool.readOnly }));
    } catch (error) {
      return { text: errorText(error), isError: true };
    }
  },
  stopCaptures: async () => {
    for (const context of contexts.values()) {
      const { captures } = await context;
      await captures.stopAll();
    }
    return null;
  },
});
