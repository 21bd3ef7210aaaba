import { describe, expect, it } from "vitest";
import { DefinitionError, guardsOf, parseDefinition } from "../../../../src/core/experiment/index.js";

const EXAMPLE = `question: Does --max-num-seqs 64 beat 32?
endpoints: [http://127.0.0.1:8000/metrics]
configurations:
  - name: seqs-32
    server: vllm serve ./model --max-num-seqs 32
    ready: http://127.0.0.1:8000/health
    expect: { "vllm:cache_config_info": { block_size: "16" } }
  - name: seqs-64
    server: vllm serve ./model --max-num-seqs 64
loads:
  - name: rate-8
    command: aiperf profile --request-rate 8 --artifact-dir \${run}
    warmup: 10s
primary: { metric: time_to_first_token, statistic: p99, relevant: 3% }
guards: [{ metric: generation_tokens, statistic: rate, relevant: 3% }]
slo: { time_to_first_token: 500ms }
budget: 2h
`;

function errorOf(text: string): DefinitionError {
  try {
    parseDefinition(text);
  } catch (error) {
    if (error instanceof DefinitionError) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

describe("the file of an experiment", () => {
  it("is read with its units and defaults", () => {
    const definition = parseDefinition(EXAMPLE);
    expect(definition).toMatchObject({
      loads: [{ name: "rate-8", warmup: 10, timeout: 3600 }],
      primary: { relevant: 0.03, statistic: { kind: "plain", name: "p99" } },
      repeats: { min: 3, max: 12 },
      budget: 7200,
      seed: 1,
    });
    expect(guardsOf(definition).at(-1)).toMatchObject({
      statistic: { kind: "share", threshold: 0.5 },
      better: "higher",
    });
  });

  it("may be JSON", () => {
    const content = {
      ...parseDefinition(EXAMPLE),
      primary: { metric: "ttft", statistic: "avg", relevant: 0.1 },
      guards: [],
      slo: {},
    };
    expect(parseDefinition(JSON.stringify(content)).primary.relevant).toBe(0.1);
  });

  it.each([
    ["statistic: p99", "statistic: p98", 14, /no statistic/],
    ["relevant: 3% }\nguards", "relevant: three }\nguards", 14, /no share/],
    ["warmup: 10s", "warmup: soon", 13, /no duration/],
    ["    warmup: 10s", "    warmpu: 10s", 13, /there is no "warmpu" here/],
    ["  - name: seqs-64", "  - name: seqs-32", 8, /is taken/],
    ["budget: 2h", "budget: 2h\nseed: -1", 18, /seed/],
    ["budget: 2h", "budget: 2h\nrepeats: { max: 1000000000 }", 18, /repeats\.max: at most 1,000 blocks/],
    ["loads:", "loads: [", 11, /./],
  ])("names the line of what is wrong: %s", (from, to, line, reason) => {
    const error = errorOf(EXAMPLE.replace(from, to));
    expect(error.reason).toMatch(reason);
    expect(error.line).toBe(line);
  });

  it("needs endpoints, and two configurations to compare", () => {
    expect(errorOf(EXAMPLE.replace(/^endpoints.*\n/m, "")).message).toMatch(
      /^line 3: configurations\[1\]: it has no endpoints/,
    );
    expect(errorOf(EXAMPLE.replace(/ {2}- name: seqs-64\n.*\n/, "")).message).toMatch(/two/);
  });
});
