import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect } from "vitest";
import { CLI } from "./cli.js";

export interface McpAnswer {
  readonly text: string;
  readonly isError: boolean;
  /** The text as JSON; undefined for an error. */
  readonly json: Record<string, unknown> | undefined;
}

export interface McpSession {
  readonly client: Client;
  /** Calls a tool, and holds its answer against the limit of 4 KB. */
  call(name: string, args?: Record<string, unknown>): Promise<McpAnswer>;
  close(): Promise<void>;
}

/**
 * The bundled command line as a server of the Model Context Protocol, in a process of its own.
 *
 * @param agree how the user answers questions; undefined: the client cannot ask
 */
export async function startMcp(
  folder: string,
  agree?: (question: string) => boolean,
  env: Readonly<Record<string, string>> = {},
): Promise<McpSession> {
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities: agree === undefined ? {} : { elicitation: {} } },
  );
  if (agree !== undefined)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) =>
      agree(params.message) ? { action: "accept", content: { agree: true } } : { action: "decline" },
    );
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [CLI, "mcp", folder],
      env: { ...getDefaultEnvironment(), ...env },
      stderr: "pipe",
    }),
  );
  return {
    client,
    call: async (name, args = {}) => {
      const { content, isError } = await client.callTool({ name, arguments: args });
      const [first] = content as { type: string; text: string }[];
      const text = first?.text ?? "";
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4096);
      return {
        text,
        isError: isError === true,
        json: isError === true ? undefined : (JSON.parse(text) as Record<string, unknown>),
      };
    },
    close: () => client.close(),
  };
}
