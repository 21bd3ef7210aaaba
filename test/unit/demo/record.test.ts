import { describe, expect, it } from "vitest";
import { recordDemo, type RecordOptions } from "../../../src/demo/index.js";
import { epochNs } from "../../../src/core/model/index.js";
import { readPage, sumOf } from "../../support/page.js";

async function record(options: RecordOptions): Promise<string[]> {
  const lines: string[] = [];
  await recordDemo(options, (line) => void lines.push(line));
  return lines;
}

interface Line {
  readonly url: string;
  readonly latency_ns: number;
  readonly status: number;
  readonly content_type: string;
  readonly body: string;
}

const parse = (line: string) => JSON.parse(line) as Line;
const timeOf = (line: string) => BigInt(/"t_ns": (\d+)/.exec(line)?.[1] ?? "");

describe("recordDemo", () => {
  it("writes the same bytes for the same seed, and others for another", async () => {
    for (const profile of ["vllm", "sglang", "trtllm", "dynamo"] as const) {
      const options = { profile, durationSeconds: 10, seed: 7 };
      const lines = await record(options);
      expect(await record(options)).toEqual(lines);
      expect(await record({ ...options, seed: 8 })).not.toEqual(lines);
    }
  });

  it("writes the lines of a scrape log on a fixed grid", async () => {
    const startNs = epochNs(1_800_000_000_123_456_789n);
    const lines = await record({ durationSeconds: 9.99, intervalMs: 333, startNs, url: "http://h:1/metrics" });
    expect(lines.length).toBe(31);
    let before = 0n;
    for (const [n, line] of lines.entries()) {
      const { url, latency_ns, status, content_type, body } = parse(line);
      expect(line).not.toContain("\n");
      expect([url, status]).toEqual(["http://h:1/metrics", 200]);
      expect(content_type).toMatch(/^text\/plain; version=0\.0\.4/);
      const late = timeOf(line) - startNs - BigInt(n) * 333_000_000n;
      expect(late).toBeGreaterThan(0n);
      expect(late).toBeLessThan(BigInt(latency_ns));
      expect(timeOf(line)).toBeGreaterThan(before);
      before = timeOf(line);
      expect(readPage(body).samples.length).toBeGreaterThan(300);
    }
  });

  it("names the place where TensorRT-LLM serves its exposition", async () => {
    const [line = ""] = await record({ profile: "trtllm", durationSeconds: 0 });
    expect(parse(line).url).toBe("http://localhost:8000/prometheus/metrics");
  });

  it("never lets a counter or bucket fall", async () => {
    const lines = await record({ durationSeconds: 60, intervalMs: 1000, kvBlocks: 600 });
    const last = new Map<string, number>();
    for (const line of lines) {
      const page = readPage(parse(line).body);
      for (const { name, labels, value } of page.samples) {
        if (!/_(total|bucket|count|sum)$/.test(name)) continue;
        const key = `${name}${JSON.stringify(labels)}`;
        expect(value, key).toBeGreaterThanOrEqual(last.get(key) ?? 0);
        last.set(key, value);
      }
    }
    expect(last.size).toBeGreaterThan(300);
  });

  it("shows a smaller KV cache in what is exposed: more waiting, later first tokens", async () => {
    const final = async (kvBlocks: number) =>
      readPage(parse((await record({ durationSeconds: 90, intervalMs: 5000, kvBlocks })).at(-1) ?? "").body);
    const [small, large] = [await final(1000), await final(6000)];
    const mean = (page: typeof small, name: string) => sumOf(page, `${name}_sum`) / sumOf(page, `${name}_count`);
    for (const name of ["vllm:time_to_first_token_seconds", "vllm:request_queue_time_seconds"])
      expect(mean(small, name)).toBeGreaterThan(10 * mean(large, name));
    const slow = (page: typeof small) =>
      1 -
      sumOf(page, "vllm:time_to_first_token_seconds_bucket", { le: "2.5" }) /
        sumOf(page, "vllm:time_to_first_token_seconds_count");
    expect(slow(small)).toBeGreaterThan(0.1);
    expect(slow(large)).toBe(0);
    expect(sumOf(small, "vllm:num_preemptions_total")).toBeGreaterThan(0);
    expect(sumOf(large, "vllm:num_preemptions_total")).toBe(0);
  });

  it("waits for whoever takes the lines", async () => {
    let taken = 0;
    let busy = false;
    await recordDemo({ durationSeconds: 2 }, async () => {
      expect(busy).toBe(false);
      busy = true;
      await new Promise((resolve) => setImmediate(resolve));
      busy = false;
      taken++;
    });
    expect(taken).toBe(7);
  });
});
