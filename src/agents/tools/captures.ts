import * as z from "zod";
import { LONGEST_LABEL } from "../../core/model/index.js";
import { withList, type Answer } from "../answer.js";
import { ToolError } from "../errors.js";
import { defineTool, type AgentContext } from "../tool.js";
import { orSingle } from "../words.js";

const MAX_SECONDS = 1_000_000;
const CONFIRM = z
  .boolean()
  .optional()
  .describe("true once the user has agreed; asked for where the client cannot ask the user itself");

const START = z.strictObject({
  urls: orSingle(
    z
      .array(z.string().regex(/^https?:\/\/\S+$/i, "is not an http(s) address"))
      .min(1)
      .max(64),
  ).describe("Prometheus endpoints, such as http://localhost:8000/metrics"),
  duration_seconds: z.number().positive().max(MAX_SECONDS).optional().describe("Default: until stop_capture"),
  warmup_seconds: z.number().min(0).max(MAX_SECONDS).optional().describe("Left out of the statistics"),
  interval_ms: z.number().min(1).max(300_000).optional().describe("Time between scrapes (default: 333)"),
  label: z.string().min(1).max(LONGEST_LABEL).optional().describe("A name for the run"),
  confirm: CONFIRM,
});

const startQuestion = ({ urls, duration_seconds: seconds }: z.output<typeof START>) =>
  `Capture ${urls.join(", ")} ${seconds === undefined ? "until it is stopped" : `for ${seconds} s`}? ` +
  "It sends requests to these addresses and writes files.";

export const startCapture = defineTool({
  name: "start_capture",
  title: "Start a capture",
  description:
    "Starts a capture of Prometheus endpoints as a new run below the folder, and returns its id. The user has to " +
    "agree first. stop_capture ends it and writes its files.",
  input: START,
  question: startQuestion,
  answer: async (input, context) => {
    await requireConsent(context, startQuestion(input), "start_capture", input.confirm);
    const { id, endpoints } = await context.captures.start({
      urls: input.urls,
      durationSeconds: input.duration_seconds,
      warmupSeconds: input.warmup_seconds,
      intervalMs: input.interval_ms,
      label: input.label,
    });
    const next =
      input.duration_seconds === undefined
        ? `It runs until stop_capture is called with capture: ${id}`
        : `Its files are written after ${input.duration_seconds} s; then call describe_run. stop_capture ends it early.`;
    return withList({ capture: id, next }, "endpoints", endpoints);
  },
});

const STOP = z.strictObject({
  capture: z.string().min(1).describe("Id of the capture, from start_capture or list_runs"),
  confirm: CONFIRM,
});

const stopQuestion = ({ capture }: z.output<typeof STOP>) => `Stop the capture ${capture} and write its files?`;

export const stopCapture = defineTool({
  name: "stop_capture",
  title: "Stop a capture",
  description:
    "Ends a capture that start_capture began, writes its files, and answers with the id of the run. The user has to " +
    "agree first.",
  input: STOP,
  question: stopQuestion,
  answer: async (input, context): Promise<Answer> => {
    await requireConsent(context, stopQuestion(input), "stop_capture", input.confirm);
    const { id, files, scrapes, endpointsAnswered, notices } = await context.captures.stop(input.capture);
    return {
      run: id,
      files,
      scrapes,
      endpoints_answered: endpointsAnswered,
      ...(notices.length === 0 ? {} : { notices: notices.slice(0, 5) }),
      next: "describe_run says what limited the server.",
    };
  },
});

/** @throws ToolError unless the user agrees */
async function requireConsent(
  { confirm }: AgentContext,
  question: string,
  tool: string,
  confirmed: boolean | undefined,
): Promise<void> {
  const consent = await confirm(question);
  if (consent === "no")
    throw new ToolError(
      "The user did not agree; nothing was done.",
      "Do not call it again unless the user asks for it.",
    );
  if (consent === "cannot-ask" && confirmed !== true)
    throw new ToolError(
      `The user must agree first: ${question}`,
      `Ask the user, then call ${tool} again with confirm: true.`,
    );
}
