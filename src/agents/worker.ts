import { existsSync } from "node:fs";
import type { ProvenanceOptions } from "../core/model/index.js";
import { UserError } from "../core/text/errors.js";
import { hostPort } from "../engine/port.js";
import { adoptSecretParameters } from "../engine/worker-setup.js";
import { ChannelServer } from "../protocol/index.js";
import { AgentCaptures } from "./captures.js";
import { RunFolder, type RootOptions } from "./folder.js";
import { AGENT_TOOLS } from "./index.js";
import { RunReader } from "./reader.js";
import { callTool, failedAnswer, type AgentContext, type Consent, type ToolAnswer } from "./tool.js";

export interface AgentCall {
  readonly tool: string;
  readonly input: unknown;
  /** Of the runs, or of the project for a tool that reads experiments. Absolute. */
  readonly folder: string;
  /** A folder that this one must really lie in. */
  readonly inside?: string;
  /** Origins that the user named, and those that the user allowed. */
  readonly named?: readonly string[];
  readonly allowed?: readonly string[];
  /** What a capture records of where it came from; absent: nothing. */
  readonly provenance?: ProvenanceOptions;
}

/** What an editor asks of the worker thread that answers agents, so that no answer holds up its own loop. */
export interface AgentRequests {
  /** Origins of the servers that a tool contacts; none of one that is called wrongly. */
  contacts: { params: { readonly tool: string; readonly input: unknown }; result: readonly string[] };
  /** Calls a tool. */
  call: { params: AgentCall; result: ToolAnswer };
  /** Ends the captures that agents began and writes their files. */
  stopCaptures: { params: Record<string, never>; result: null };
}

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
