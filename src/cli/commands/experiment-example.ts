/** What `experiment init` writes: it runs as it is. */
export const EXAMPLE_EXPERIMENT = `# yaml-language-server: $schema=https://unpkg.com/server-metrics/media/experiment.schema.json
# An experiment: a question, and the runs that answer it. This one runs as it is, against two simulated servers:
#   server-metrics experiment run demo.experiment.yaml
question: Does a small KV cache cost latency?

configurations: # the first is the baseline
  - name: large-cache
    # Started, awaited and stopped for each run. Left out for a server that runs already.
    server: \${server_metrics} demo --port \${port} --seed \${block} --kv-blocks 2200
    port: 8970
    endpoints: [http://127.0.0.1:8970/metrics]
    ready: http://127.0.0.1:8970/health
  - name: small-cache
    server: \${server_metrics} demo --port \${port} --seed \${block} --kv-blocks 250
    port: 8971
    endpoints: [http://127.0.0.1:8971/metrics]
    ready: http://127.0.0.1:8971/health

loads:
  - name: steady
    # Your load generator, such as: aiperf profile --url … --artifact-dir \${run}
    command: sleep 6

primary: { metric: request_latency, statistic: avg, relevant: 3% }
guards:
  - { metric: generation_tokens, statistic: rate, relevant: 5% }

repeats: { min: 3, max: 6 }
`;
