import { z } from "zod";
import { PERCENTILES } from "../model/index.js";
import { parseDuration, UserError } from "../text/index.js";
import { isMap, isNode, isScalar, LineCounter, parseDocument, type Document } from "yaml";

/*
 * The file of an experiment, defined once: `definitionSchema` checks it, the types come from it, and the JSON Schema
 * for completion is written from it (`experimentJsonSchema`).
 */

/** Seconds, of a number or of a text such as `500ms`, `10s`, `2h`. */
const seconds = z
  .union([z.number().nonnegative(), z.string()])
  .transform((value, context) => {
    const parsed = typeof value === "number" ? value : parseDuration(value);
    if (parsed !== undefined) return parsed;
    context.addIssue(`"${value}" is no duration: write a number and its unit, such as 500ms, 10s or 2h`);
    return z.NEVER;
  })
  .describe("A number and its unit, such as 500ms, 10s, 5m or 2h; seconds without one.");

/** A share of 1, of a number or of a text such as `3%`. */
const share = z
  .union([z.number().positive().max(1), z.string()])
  .transform((value, context) => {
    const parsed = typeof value === "number" ? value : percentOf(value);
    if (parsed !== undefined) return parsed;
    context.addIssue(`"${value}" is no share: write percent above 0, such as 3%`);
    return z.NEVER;
  })
  .describe("Percent, such as 3%, or a share of 1.");

function percentOf(text: string): number | undefined {
  const value = Number(/^\s*(\d+(?:\.\d+)?)\s*%\s*$/.exec(text)?.[1] ?? NaN) / 100;
  return value > 0 && value <= 1 ? value : undefined;
}

const STATISTICS = ["avg", "rate", ...PERCENTILES.map((p) => `p${p}` as const)] as const;
export type PlainStatistic = (typeof STATISTICS)[number];

/** One figure of a run: a plain one, or the share of observations of at most a threshold (seconds for latencies). */
export type Statistic =
  { readonly kind: "plain"; readonly name: PlainStatistic } | { readonly kind: "share"; readonly threshold: number };

const statistic = z
  .string()
  .transform((text, context): Statistic => {
    const name = STATISTICS.find((one) => one === text);
    if (name !== undefined) return { kind: "plain", name };
    const threshold = parseDuration(/^share_below\((.*)\)$/.exec(text)?.[1] ?? "");
    if (threshold !== undefined) return { kind: "share", threshold };
    context.addIssue(`"${text}" is no statistic: there are ${STATISTICS.join(", ")} and share_below(500ms)`);
    return z.NEVER;
  })
  .describe(`One of ${STATISTICS.join(", ")}, or share_below(THRESHOLD).`);

const metric = z
  .string()
  .min(1)
  .describe(
    "A quantity of any engine (time_to_first_token, generation_tokens), an exposed name (vllm:num_requests_running), or a client's (client:time_to_first_token_seconds).",
  );

const judged = z.strictObject({
  metric,
  statistic,
  relevant: share.describe("The smallest difference that matters, in percent of the baseline; of a share in points."),
  better: z.enum(["lower", "higher"]).optional().describe("Which way is better; known for common metrics."),
});

const name = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,59}$/, "a name has letters, digits, dots, dashes and underscores, at most 60")
  .describe("It becomes a part of folder names.");

const VARIABLES =
  "It is a line for the shell. ${run}, ${configuration}, ${server_url}, ${load}, ${port}, ${block} and ${level} " +
  "are replaced.";
const command = z.string().min(1);

const configuration = z.strictObject({
  name,
  server: command
    .optional()
    .describe(`Starts the server. Leave it out if the server runs already or you start it by hand. ${VARIABLES}`),
  endpoints: z.array(z.string()).min(1).optional().describe("Metrics of this configuration, where they differ."),
  port: z.int().min(1).max(65_535).optional().describe("What ${port} stands for; it must be free before the start."),
  ready: z.string().optional().describe("A URL that answers 200 once the server is ready; without it the endpoints."),
  startup: seconds.default(600).describe("How long the server may take to become ready."),
  expect: z
    .record(z.string(), z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String)))
    .optional()
    .describe("Labels that an info metric must have, by metric: proof that the intended setting took effect."),
});

const load = z.strictObject({
  name,
  command: command.describe(`The load generator. The run lasts as long as it does. ${VARIABLES}`),
  warmup: seconds.default(0).describe("Left out at the start of the load."),
  timeout: seconds.default(3600).describe("How long it may take before it is stopped and the run is invalid."),
});

const shape = z.strictObject({
  question: z.string().min(1).describe("What is to be decided, in words."),
  endpoints: z.array(z.string()).min(1).optional().describe("Metrics of all configurations without their own."),
  configurations: z.array(configuration).min(1).describe("The first is the baseline."),
  loads: z.array(load).min(1),
  reset: command.optional().describe(`Runs before each load, for example to empty the prefix cache. ${VARIABLES}`),
  primary: judged.describe("It alone decides when to stop."),
  guards: z.array(judged).default([]).describe("What must not become worse."),
  slo: z
    .record(z.string(), seconds)
    .default({})
    .describe("Thresholds of latencies: the share of requests within each is a guard."),
  search: z
    .strictObject({
      from: z.number().positive(),
      to: z.number().positive(),
      resolution: share.default(0.1).describe("The search ends when its bracket is this narrow."),
      limit: seconds.describe("What the primary metric must not exceed."),
    })
    .optional()
    .describe("Looks for the largest ${level} of the load at which the primary metric is within a limit."),
  repeats: z
    .strictObject({ min: z.int().min(2).default(3), max: z.int().min(2).max(1000, "at most 1,000 blocks").default(12) })
    .default({ min: 3, max: 12 })
    .describe("Blocks at least and at most. A block has one run of each configuration."),
  errors: share.default(0.01).describe("Share of failed requests above which a run does not count."),
  budget: seconds.optional().describe("A run that would end after it is not started."),
  seed: z.int().nonnegative().default(1).describe("Of the order within blocks."),
  interval: seconds.default(0.333).describe("Between two scrapes."),
});

/** What an experiment's file says, with its defaults; times in seconds, percent as shares. */
export type ExperimentDefinition = z.infer<typeof shape>;
export type ServerConfiguration = ExperimentDefinition["configurations"][number];
export type LoadDefinition = ExperimentDefinition["loads"][number];
/** A metric with the difference of it that matters. */
export type JudgedMetric = ExperimentDefinition["primary"];

/** Checks the content of an experiment's file. */
export const definitionSchema = shape.superRefine((value, context) => {
  const fail = (path: (string | number)[], message: string) => context.addIssue({ code: "custom", path, message });
  for (const list of ["configurations", "loads"] as const)
    value[list].forEach((one, i) => {
      if (value[list].findIndex((other) => other.name === one.name) < i)
        fail([list, i, "name"], `the name "${one.name}" is taken`);
    });
  value.configurations.forEach((one, i) => {
    if (one.endpoints === undefined && value.endpoints === undefined)
      fail(["configurations", i], "it has no endpoints: give it some, or the experiment");
  });
  if (value.search === undefined && value.configurations.length < 2)
    fail(["configurations"], "a comparison needs two of them");
  if (value.search !== undefined && !(value.search.to > value.search.from))
    fail(["search", "to"], "it must be above from");
  if (value.repeats.max < value.repeats.min) fail(["repeats", "max"], "it must not be below min");
});

/** Of the file, for completion in editors. */
export function experimentJsonSchema(): object {
  return {
    ...z.toJSONSchema(shape, { io: "input" }),
    title: "Experiment of Server Metrics",
  };
}

/** What keeps a share within a threshold from counting as worse: one point. */
const RELEVANT_POINT = 0.01;

/** The metrics that are judged beside the primary one: guards, and shares within service level objectives. */
export function guardsOf({ guards, slo }: ExperimentDefinition): readonly JudgedMetric[] {
  return [
    ...guards,
    ...Object.entries(slo).map(([metric, threshold]): JudgedMetric => ({
      metric,
      statistic: { kind: "share", threshold },
      relevant: RELEVANT_POINT,
      better: "higher",
    })),
  ];
}

/** As a file writes it: "time_to_first_token p99". */
export function judgedName({ metric, statistic }: Pick<JudgedMetric, "metric" | "statistic">): string {
  return `${metric} ${statistic.kind === "plain" ? statistic.name : `share_below(${statistic.threshold})`}`;
}

/** What is wrong with an experiment's file, and on which line. */
export class DefinitionError extends UserError {
  /** @param line from 1 */
  constructor(
    readonly reason: string,
    readonly line: number,
  ) {
    super(`line ${line}: ${reason}`);
  }
}

/**
 * Reads an experiment's file, YAML or JSON.
 * @throws DefinitionError for the first thing that is wrong
 */
export function parseDefinition(text: string): ExperimentDefinition {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [broken] = document.errors;
  if (broken !== undefined) throw new DefinitionError(sentence(broken.message), lines.linePos(broken.pos[0]).line);
  // 100 aliases at the most: a small file could stand for any amount.
  const result = definitionSchema.safeParse(document.toJS({ maxAliasCount: 100 }));
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const path = (issue?.path ?? []).filter((part) => typeof part !== "symbol");
  const keys = issue?.code === "unrecognized_keys" ? issue.keys : [];
  const place = placeOf(document, [...path, ...keys.slice(0, 1)]);
  const where = path.length === 0 ? "" : `${pathText(path)}: `;
  const message = keys.length > 0 ? `there is no "${keys.join('", "')}" here` : (issue?.message ?? "");
  throw new DefinitionError(sentence(`${where}${message}`), lines.linePos(place).line);
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** `configurations[1].server` */
function pathText(path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, part) => (typeof part === "number" ? `${text}[${part + 1}]` : text === "" ? part : `${text}.${part}`),
    "",
  );
}

/** Where the value at a path begins, or the nearest one around it; of a key the key itself. */
function placeOf(document: Document.Parsed, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length--) {
    const parent: unknown = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const key = path[length - 1];
    if (isMap(parent)) {
      const pair = parent.items.find(({ key: own }) => isScalar(own) && own.value === key);
      if (pair !== undefined && isScalar(pair.key) && pair.key.range) return pair.key.range[0];
    }
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}
