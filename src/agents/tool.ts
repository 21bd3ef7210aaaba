import * as z from "zod";
import { ANSWER_BYTES, answerText, errorAnswer, type Answer } from "./answer.js";
import type { AgentCaptures } from "./captures.js";
import { ToolError } from "./errors.js";
import type { RunReader } from "./reader.js";

/** What the user said to a question; "cannot-ask" where the client has no way to put it. */
export type Consent = "yes" | "no" | "cannot-ask";

/** What tools work with: one folder of runs, and the captures that were begun for it. */
export interface AgentContext {
  readonly runs: RunReader;
  readonly captures: AgentCaptures;
  /** Asks the user, not the model. */
  readonly confirm: (question: string) => Promise<Consent>;
}

/** A question that an agent can ask, whichever way it is offered. */
export interface AgentTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON Schema of its parameters. */
  readonly inputSchema: z.core.JSONSchema.JSONSchema;
  /** Whether it only reads files below the folder. */
  readonly readOnly: boolean;
  /** What the user is asked before it runs; absent for one that only reads. @throws ToolError */
  question(input: unknown): string | undefined;
  /** @throws ToolError for parameters that do not fit */
  answer(input: unknown, context: AgentContext): Promise<Answer>;
}

interface Definition<S extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: S;
  /** Of a tool that does more than read. */
  readonly question?: (input: z.output<S>) => string;
  readonly answer: (input: z.output<S>, context: AgentContext) => Promise<Answer>;
}

/**
 * A tool whose input is checked against its schema before it is answered; the types of its input follow from that.
 */
export function defineTool<S extends z.ZodObject>({ name, title, description, ...rest }: Definition<S>): AgentTool {
  const { input: schema, question, answer } = rest;
  const { $schema: _, ...inputSchema } = z.toJSONSchema(schema, { io: "input" });
  const parsed = (input: unknown) => {
    const result = schema.safeParse(input ?? {});
    if (result.success) return result.data;
    const reasons = result.error.issues.map(({ path, message }) =>
      path.length === 0 ? message : `${path.join(".")}: ${message}`,
    );
    throw new ToolError(
      `${name} cannot be called like this: ${reasons.join("; ")}.`,
      `Its parameters: ${Object.entries(schema.shape).map(parameterText).join(", ")}.`,
    );
  };
  return {
    name,
    title,
    description,
    inputSchema,
    readOnly: question === undefined,
    question: (input) => question?.(parsed(input)),
    answer: async (input, context) => answer(parsed(input), context),
  };
}

function parameterText([name, schema]: [string, z.core.$ZodType]): string {
  return z.safeParse(schema, undefined).success ? name : `${name} (required)`;
}

/** What an agent gets: at most 4 KB. */
export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
  /** It could not be given for want of memory, which what was read before holds a part of. */
  readonly lacksMemory?: true;
}

/** Calls a tool. Never throws: an error is an answer that says what to call instead. */
export async function callTool(tool: AgentTool, input: unknown, context: AgentContext): Promise<ToolAnswer> {
  try {
    const text = answerText(await tool.answer(input, context));
    if (Buffer.byteLength(text) <= ANSWER_BYTES) return { text, isError: false };
    return {
      text: `The answer of ${tool.name} is longer than ${ANSWER_BYTES} bytes. Ask for less: one metric, one series or one statistic.`,
      isError: true,
    };
  } catch (error) {
    const lacksMemory = error instanceof ToolError && error.code === "memory";
    return { text: errorAnswer(error), isError: true, ...(lacksMemory ? { lacksMemory } : {}) };
  }
}
