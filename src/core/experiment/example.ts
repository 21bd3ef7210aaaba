import { stringify } from "yaml";
import { provenanceOf, serverProvenance } from "../model/index.js";
import { fieldsOf, type JsonObject } from "../text/index.js";

/** What an experiment's file is begun with. */
export interface ExampleParts {
  readonly question: string;
  /** The first is the baseline. */
  readonly configurations: readonly {
    readonly name: string;
    readonly server?: string;
    readonly port?: number;
    readonly endpoints: readonly string[];
    readonly ready?: string;
  }[];
  readonly load: { readonly name: string; readonly command: string };
  readonly repeats?: { readonly min: number; readonly max: number };
}

const SIMULATED: ExampleParts = {
  question: "Does a small KV cache cost latency?",
  configurations: [["large-cache", 2200, 8970] as const, ["small-cache", 250, 8971] as const].map(
    ([name, blocks, port]) => ({
      name,
      server: `\${server_metrics} demo --port \${port} --seed \${block} --kv-blocks ${blocks}`,
      port,
      endpoints: [`http://127.0.0.1:${port}/metrics`],
      ready: `http://127.0.0.1:${port}/health`,
    }),
  ),
  load: { name: "steady", command: "sleep 6" },
  repeats: { min: 3, max: 6 },
};

/** For two servers that run, or one after the other where there is one URL; without URLs, simulated ones. */
export function exampleFor(urls: readonly string[]): ExampleParts {
  const [first, second] = urls;
  if (first === undefined) return SIMULATED;
  return {
    question: "Is the candidate better than the baseline?",
    configurations: [
      { name: "baseline", endpoints: [first] },
      { name: "candidate", endpoints: [second ?? first] },
    ],
    load: {
      name: "load",
      command:
        "aiperf profile --url ${server_url} --model MODEL --request-rate 8 --request-count 400 --artifact-dir ${run}",
    },
  };
}

/** What is known of a run that another experiment repeats. */
export interface RepeatedRun {
  readonly label: string;
  readonly endpoints: readonly string[];
  readonly inputConfig: JsonObject;
}

/** For more runs like two that were made: with the commands of servers and load, as far as they were recorded. */
export function exampleOfRuns(baseline: RepeatedRun, candidate: RepeatedRun): ExampleParts {
  const usual = exampleFor(baseline.endpoints.slice(0, 1));
  const { line } = fieldsOf(fieldsOf(provenanceOf(baseline.inputConfig))["command"]);
  const configurationOf = (name: string, { endpoints, inputConfig }: RepeatedRun) => {
    const commands = endpoints.flatMap((url) => serverProvenance(inputConfig, url)?.command ?? []);
    const [server] = commands;
    // Several servers have no one command.
    return { name, endpoints, ...(server !== undefined && commands.length === 1 ? { server } : {}) };
  };
  return {
    question: `Is ${candidate.label} better than ${baseline.label}?`,
    configurations: [configurationOf("baseline", baseline), configurationOf("candidate", candidate)],
    load: typeof line === "string" ? { name: "load", command: repeatable(line) } : usual.load,
  };
}

/** The command of a load: where an experiment has run it, without its shell and with the folder of each run. */
function repeatable(line: string): string {
  const inShell = /^\/bin\/sh -c '(.*)'$/s.exec(line)?.[1]?.replaceAll("'\\''", "'") ?? line;
  return inShell.replaceAll(/\/[^\s'"=]*\/runs\/[\w.-]+\/\d{2,}-[\w.-]+/g, "${run}");
}

/** The file of an experiment, with comments that say what to change. */
export function exampleText({ question, configurations, load, repeats }: ExampleParts): string {
  return `# yaml-language-server: $schema=https://unpkg.com/server-metrics/media/experiment.schema.json
# An experiment: a question, and the runs that answer it. Run it here, or: server-metrics experiment run FILE
question: ${yaml(question)}

configurations: # the first is the baseline
${configurations
  .map(
    ({ name, server, port, endpoints, ready }, i) => `  - name: ${yaml(name)}
${i > 0 ? "" : "    # The server's command: started, awaited and stopped for each run. Without one it runs already.\n"}${
      server === undefined ? "    # server: vllm serve ./model --port 8000\n" : `    server: ${yaml(server)}\n`
    }${port === undefined ? "" : `    port: ${port}\n`}    endpoints: ${yaml(endpoints)}
${ready === undefined ? "" : `    ready: ${yaml(ready)}\n`}`,
  )
  .join("")}
loads:
  - name: ${yaml(load.name)}
    # Your load generator. Results that it writes to \${run} join the run. \${server_url} is the run's server.
    command: ${yaml(load.command)}

# What decides, and the smallest difference that matters.
primary: { metric: request_latency, statistic: avg, relevant: 3% }
guards: # what must not become worse
  - { metric: generation_tokens, statistic: rate, relevant: 5% }

# Blocks: each has one run of every configuration, in a drawn order.
repeats: { min: ${repeats?.min ?? 3}, max: ${repeats?.max ?? 12} }
`;
}

/** As YAML has it: quoted where it could mean anything else. */
function yaml(value: string | readonly string[]): string {
  return stringify(value, { collectionStyle: "flow", lineWidth: 0, flowCollectionPadding: false }).trimEnd();
}
