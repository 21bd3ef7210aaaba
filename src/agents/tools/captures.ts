import * as z from "zod";
import { UserError } from "../../core/text/errors.js";
import { InvalidUrlError, originOf } from "../../collect/index.js";
import { LONGEST_LABEL } from "../../core/model/index.js";
import { withList, type AnswerFields } from "../answer.js";
import { defineTool } from "../tool.js";
import { oneOrMany } from "../words.js";

/** Endpoints of one capture. */
const MAX_ENDPOINTS = 16;
/** Half a day. */
const MAX_SECONDS = 43_200;
const DEFAULT_SECONDS = 3600;
/** As the editor's setting has it at least. */
const MIN_INTERVAL_MS = 50;

const START = z.strictObject({
  urls: oneOrMany(
    z
      .array(z.string().regex(/^https?:\/\/\S+$/i, "is not an http(s) address"))
      .min(1)
      .max(MAX_ENDPOINTS),
  ).describe("Prometheus endpoints, such as http://localhost:8000/metrics"),
  duration_seconds: z
    .number()
    .positive()
    .max(MAX_SECONDS)
    .optional()
    .describe("Default: until stop_capture, an hour at most"),
  warmup_seconds: z.number().min(0).max(MAX_SECONDS).optional().describe("Left out of the statistics"),
  interval_ms: z.number().min(MIN_INTERVAL_MS).max(300_000).optional().describe("Time between scrapes (default: 333)"),
  label: z.string().min(1).max(LONGEST_LABEL).optional().describe("A name for the run"),
});

export const startCapture = defineTool({
  name: "start_capture",
  title: "Start a capture",
  description:
    "Starts a capture of Prometheus endpoints as a new run below the folder, and returns its id. Only servers that the " +
    "user has allowed are contacted. stop_capture ends it and writes its files.",
  input: START,
  writes: true,
  contacts: ({ urls }) => urls.map(contact),
  answer: async (input, { captures, origins, provenance }) => {
    const { id, endpoints } = await captures.start(
      {
        urls: input.urls,
        durationSeconds: input.duration_seconds ?? DEFAULT_SECONDS,
        warmupSeconds: input.warmup_seconds,
        intervalMs: input.interval_ms,
        label: input.label,
        provenance,
      },
      origins.named,
    );
    const next =
      input.duration_seconds === undefined
        ? `It runs until stop_capture is called with capture: ${id}, or for an hour.`
        : `Its files are written after ${input.duration_seconds} s; then call describe_run. stop_capture ends it early.`;
    return withList({ capture: id, next }, "endpoints", endpoints);
  },
});

/** @throws UserError */
function contact(url: string): string {
  try {
    return originOf(url);
  } catch (error) {
    if (error instanceof InvalidUrlError) throw new UserError(`${url} cannot be used: ${error.message}`);
    throw error;
  }
}

const STOP = z.strictObject({
  capture: z.string().min(1).describe("Id of the capture, from start_capture or list_runs"),
});

export const stopCapture = defineTool({
  name: "stop_capture",
  title: "Stop a capture",
  description: "Ends a capture that start_capture began, writes its files, and answers with the id of the run.",
  input: STOP,
  writes: true,
  answer: async (input, context): Promise<AnswerFields> => {
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
