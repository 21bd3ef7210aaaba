import { existsSync } from "node:fs";
import { UserError } from "../core/text/user-error.js";
import { hostPort } from "../engine/port.js";
import { adoptSecretParameters } from "../engine/worker-secrets.js";
import { ChannelServer } from "../protocol/index.js";
import { AgentCaptures } from "./captures.js";
import { RunFolder, type RootOptions } from "./folder.js";
import { AGENT_TOOLS } from "./index.js";
import { RunReader } from "./reader.js";
import type { AgentRequests } from "./requests.js";
import { callTool, failedAnswer, type AgentContext, type Consent } from "./tool.js";

adoptSecretParameters();

/** By folder: captures under way are known to the calls that follow. */
const contexts = new Map<string, Promise<Pick<AgentContext, "runs" | "captures">>>();

function contextOf(path: string, options: RootOptions): Promise<Pick<AgentContext, "runs" | "captures">> {
  const known = contexts.get(path);
  if (known !== undefined) return known;
  const made = RunFolder.at(path, options).then((folder) => ({
    runs: new RunReader(folder),
    captures: new AgentCaptures(folder),
  }));
  contexts.set(path, made);
  return made.catch((error: unknown) => {
    contexts.delete(path);
    throw error;
  });
}

const toolNamed = (name: string) => AGENT_TOOLS.find((tool) => tool.name === name);

new ChannelServer<AgentRequests, Record<string, never>>(hostPort(), {
  contacts: ({ tool, input }) => {
    try {
      return toolNamed(tool)?.contacts(input) ?? [];
    } catch {
      // The call itself says what is wrong with it.
      return [];
    }
  },
  call: async ({ tool: name, input, folder, named = [], allowed = [], provenance, ...root }) => {
    const tool = toolNamed(name);
    try {
      if (tool === undefined) throw new UserError(`There is no tool ${name}.`);
      if (tool.readOnly && !existsSync(folder))
        throw new UserError(`There are no runs yet: ${folder} does not exist.`, "start_capture begins one.");
      // The editor has asked before it calls.
      const allow = (origins: readonly string[]): Promise<Consent> =>
        Promise.resolve(origins.every((origin) => allowed.includes(origin)) ? "yes" : "no");
      const context = await contextOf(folder, { ...root, make: !tool.readOnly });
      return await callTool(tool, input, {
        ...context,
        origins: { named: new Set(named), allow },
        ...(provenance === undefined ? {} : { provenance }),
      });
    } catch (error) {
      return failedAnswer(error);
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
