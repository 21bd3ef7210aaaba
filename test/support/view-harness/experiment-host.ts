import {
  decide,
  experimentStatus,
  parseDefinition,
  type RunRecord,
  type PlannedRun,
} from "../../../src/core/experiment/index.js";
import { SeededRandom } from "../../../src/core/math/index.js";
import { ChannelServer } from "../../../src/protocol/index.js";
import type {
  ExperimentViewEvents,
  ExperimentViewRequests,
  ShownExperiment,
} from "../../../src/protocol/experiment.js";
import { simulated } from "../experiments.js";
import { setUpPage } from "./page.js";

/**
 * The experiment page's other half: two configurations under two loads, one run of which did not count.
 * ?theme=dark|light|hc&scenario=decided|running|new|search
 */
const { port, query } = setUpPage("view-state-experiment");

const definition = parseDefinition(`
question: Does --max-num-seqs 64 beat 32?
endpoints: [http://127.0.0.1:8000/metrics]
configurations: [{ name: seqs-32, server: vllm serve --max-num-seqs 32 }, { name: seqs-64, server: vllm serve }]
loads: [{ name: rate-8, command: aiperf profile }, { name: rate-16, command: aiperf profile }]
primary: { metric: time_to_first_token, statistic: p99, relevant: 3% }
guards: [{ metric: generation_tokens, statistic: rate, relevant: 5% }]
`);

const random = new SeededRandom(7);
const vary = (value: number, by: number) => ({ value: value * (1 + by * (random.uniform() - 0.5)), error: 0 });

function run(step: PlannedRun): RunRecord {
  const isBroken = step.block === 2 && step.load === "rate-8" && step.configuration === "seqs-64" && step.attempt === 1;
  const factor = step.configuration === "seqs-64" ? (step.load === "rate-8" ? 0.82 : 0.995) : 1;
  return {
    step,
    problems: isBroken ? ["The load ended with exit code 9. Its last lines: connection refused"] : [],
    values: {
      "time_to_first_token p99": vary(0.4 * factor, 0.05),
      "generation_tokens rate": vary(1800, 0.02),
    },
    seconds: 60 + 10 * random.uniform(),
  };
}

const search = parseDefinition(`
question: Which rate keeps time to first token below 500 ms?
endpoints: [http://127.0.0.1:8000/metrics]
configurations: [{ name: seqs-32, server: vllm serve --max-num-seqs 32 }, { name: seqs-64, server: vllm serve }]
loads: [{ name: rate, command: "aiperf profile --request-rate \${level}" }]
primary: { metric: time_to_first_token, statistic: p99, relevant: 3% }
search: { from: 1, to: 32, limit: 500ms, resolution: 15% }
`);

/** The queue grows with the rate, and takes a fifth more with fewer places. */
function searched(step: PlannedRun): RunRecord {
  const value = 0.1 + 0.001 * (step.level ?? NaN) ** 2 * (step.configuration === "seqs-32" ? 1.2 : 1);
  return { step, problems: [], values: { "time_to_first_token p99": vary(value, 0.04) }, seconds: 60 };
}

const scenario = query.get("scenario") ?? "decided";
const asked = scenario === "search" ? search : definition;
const { decision, runs } = scenario === "search" ? simulated(search, searched) : simulated(definition, run);
const made = scenario === "new" ? [] : scenario === "running" ? runs.slice(0, 11) : runs;
const shown = scenario === "running" || scenario === "new" ? decide(definition, made) : decision;

const answer = (): ShownExperiment => ({
  file: "/data/seqs.experiment.yaml",
  experiment: { out: "/data/seqs", ...experimentStatus({ definition: asked, decision: shown, runs: made }) },
  running: scenario === "running" ? "yes" : "no",
  showPlan: false,
});
new ChannelServer<ExperimentViewRequests, ExperimentViewEvents>(port, {
  experiment: answer,
  experimentCommand: () => null,
  exportReport: () => null,
  openRun: () => null,
});
