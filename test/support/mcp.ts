import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect } from "vitest";
import { CLI } from "./cli.js";

export interface McpAnswer {
  readonly text: string;
  readonly isError: boolean;
  /** What the text says as JSON, data and advice together; of an error its `error` and `remedy`. */
  readonly json: Record<string, unknown>;
}

export interface McpSession {
  readonly client: Client;
  /** Calls a tool, and holds its answer against the limit of 4 KB; an error has nothing outside of its data. */
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
  { env = {}, args = [] }: { env?: Readonly<Record<string, string>>; args?: readonly string[] } = {},
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
      args: [CLI, "mcp", folder, ...args],
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
      if (isError === true) expect(Object.keys(JSON.parse(text) as object)).toEqual(["data"]);
      return {
        text,
        isError: isError === true,
        json: answerOf(text),
      };
    },
    close: () => client.close(),
  };
}

/** An answer's data and advice together. */
export function answerOf(text: string): Record<string, unknown> {
  const { data, ...advice } = JSON.parse(text) as { readonly data: Record<string, unknown> };
  return { ...data, ...advice };
}
