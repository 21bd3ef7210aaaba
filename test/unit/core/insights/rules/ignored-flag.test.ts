import { expect, it } from "vitest";
import { runInsights } from "../../../../../src/core/insights/index.js";
import { askedFlags } from "../../../../../src/core/insights/rules/ignored-flag.js";
import { commandText } from "../../../../../src/core/text/index.js";
import { complete } from "../../../../../src/core/stats/index.js";
import { recordDemos } from "../../../../../src/demo/index.js";
import { replayLines } from "../../../../support/replay.js";

async function found(args: readonly string[], settings: Readonly<Record<string, string>>) {
  const lines: string[] = [];
  await recordDemos([{ seed: 1 }], { durationSeconds: 30, intervalMs: 1000 }, (line) => void lines.push(line));
  const run = await replayLines(lines);
  const [endpoint] = run.store.endpoints;
  run.configure({ provenance: { servers: { [endpoint?.url ?? ""]: { command: commandText(args), settings } } } });
  const { findings, checked } = complete(runInsights({ kind: "samples", run }));
  return {
    text: findings.find(({ id }) => id === "ignored-flag")?.text,
    isChecked: checked.some(({ id }) => id === "ignored-flag"),
  };
}

it("names each flag whose value the server reports otherwise, by its report and its info metrics", async () => {
  const { text } = await found(
    ["vllm", "serve", "m", "--max-num-seqs", "64", "--block-size=32", "--dtype", "bf16", "--no-enable-prefix-caching"],
    { "scheduler_config.max_num_seqs": "32", "model_config.dtype": "torch.bfloat16" },
  );
  expect(text).toMatch(/: --max-num-seqs 64 was asked for, the server reports 32; /);
  expect(text).toContain("--block-size 32 was asked for, the server reports 16");
  expect(text).toContain("--no-enable-prefix-caching was asked for, the server reports True");
  expect(text).not.toContain("dtype");
});

it("the rule on ignored flags finds nothing where all took effect, and says that it looked", async () => {
  const args = ["vllm", "serve", "m", "--max-model-len", "8k", "--block-size", "16", "--enable-prefix-caching"];
  expect(await found([...args, "--kv-cache-dtype", "auto"], { "model_config.max_model_len": "8000" })).toEqual({
    text: undefined,
    isChecked: true,
  });
});

it("cannot judge a server whose command line or report is not known", async () => {
  expect((await found(["vllm", "serve", "m"], {})).isChecked).toBe(false);
});

it.each<[readonly string[], readonly string[]]>([
  [["-tp", "2"], ["-tp 2"]],
  [["--max_batch_size", "8"], ["--max_batch_size 8"]],
  [
    ["--enable-prefix-caching", "--block-size", "16"],
    ["--enable-prefix-caching", "--block-size 16"],
  ],
  [["--enable-prefix-caching=False"], ["--enable-prefix-caching False"]],
  [["--max-num-seqs", "1", "--max-num-seqs", "2"], ["--max-num-seqs 2"]],
  [
    ["--speculative-config", '{"method": "it\'s", "num_speculative_tokens": 5}'],
    ["--speculative-config num_speculative_tokens 5"],
  ],
  [["--dtype", "auto", "--block-size"], []],
])("the rule on ignored flags reads the flags of %j", (args, flags) => {
  expect(askedFlags(commandText(["x", ...args])).map(({ flag }) => flag)).toEqual(flags);
});
