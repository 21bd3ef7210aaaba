import { existsSync } from "node:fs";
import { errorText } from "../core/model/index.js";
import { hostPort } from "../engine/port.js";
import { adoptSecretParameters } from "../engine/worker-secrets.js";
import { makeFolder } from "../files/index.js";
import { ChannelServer } from "../protocol/index.js";
import { AgentCaptures } from "./captures.js";

import { RunFolder } from "./folder.js";
import { AGENT_TOOLS } from "./index.js";
import { RunReader } from "./reader.js";
import type { AgentRequests } from "./requests.js";
import { callTool, type AgentContext } from "./tool.js";

adoptSecretParameters();

/** By folder: captures under way are known to the calls that follow. */
const contexts = new Map<string, Promise<AgentContext>>();

function contextOf(path: string): Promise<AgentContext> {
  const known = contexts.get(path);
  if (known !== undefined) return known;
  const made = RunFolder.at(path).then((folder): AgentContext => ({
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
  call: async ({ tool: name, input, folder }) => {
    const tool = toolNamed(name);
    if (tool === undefined) return { text: `There is no tool ${name}.`, isError: true };
    try {
      if (!tool.readOnly) await makeFolder(folder);
      else if (!existsSync(folder))
        return { text: `There are no runs yet: ${folder} does not exist. start_capture begins one.`, isError: true };
      return await callTool(tool, input, await contextOf(folder));
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
