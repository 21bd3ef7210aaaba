import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mean } from "../../../support/quantile-errors.js";
import {
  holdsTruth,
  realQuantiles,
  servedQuantiles,
  truthDir,
  type ServedQuantile,
} from "../../../support/served-quantiles.js";

const truth = truthDir();

describe("quantiles of simulated servers", () => {
  if (truth === undefined) {
    const missing = `skipped: no served.py at ${process.env["TRUTH_DIR"] ?? "../shared/truth"}`;
    it(missing, ({ skip }) => {
      if (process.env["CI"] === "true") throw new Error("the simulated servers are missing; point TRUTH_DIR at them");
      skip(missing);
    });
    return;
  }
  let folder = "";
  let served: ServedQuantile[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "served-"));
    // A level that moves, few observations, and steps that serve many requests at once.
    served = await servedQuantiles(truth, folder, ["client_side", "quiet", "steady"]);
  }, 60_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("are off by at most 2 % on average and 30 % at worst, and seldom worse than linear", () => {
    expect(served).toHaveLength(84);
    expect(mean(served.map(({ error }) => error))).toBeLessThanOrEqual(0.02);
    expect(Math.max(...served.map(({ error }) => error))).toBeLessThanOrEqual(0.3);
    expect(mean(served.map(({ linear }) => linear))).toBeGreaterThan(0.15);
    expect(served.filter(({ error, linear }) => error > linear + 0.02).length).toBeLessThanOrEqual(3);
  });

  it("follow a level that moves: inter-token latencies with noise of the client's are off by at most 6 %", () => {
    const own = served.filter(({ run, family }) => run === "client_side" && family === "inter_token_latency_seconds");
    expect(own).toHaveLength(4);
    for (const { error } of own) expect(error).toBeLessThanOrEqual(0.06);
  });

  it("lie in their intervals in at least 85 % of the cases, less than a third as wide as what is certain", () => {
    const inside = served.filter(holdsTruth);
    expect(inside.length / served.length).toBeGreaterThanOrEqual(0.85);
    const widths = served.map(
      ({ estimate: { interval, lower, upper } }) => (interval[1] - interval[0]) / (upper - lower),
    );
    expect(mean(widths)).toBeLessThan(1 / 3);
  });

  it("of real servers are off by at most 2.8 % on average, and lie in nine of ten intervals", async () => {
    const real = await realQuantiles(truth);
    expect(real.length).toBeGreaterThanOrEqual(500);
    const off = (family: string) => mean(real.filter((one) => one.family === family).map(({ error }) => error));
    expect(mean(real.map(({ error }) => error))).toBeLessThanOrEqual(0.028);
    expect(off("iteration_tokens_total")).toBeLessThanOrEqual(0.04);
    expect(off("request_prompt_tokens")).toBeLessThanOrEqual(0.04);
    expect(off("request_generation_tokens")).toBeLessThanOrEqual(0.04);
    expect(off("inter_token_latency_seconds")).toBeLessThanOrEqual(0.05);
    expect(mean(real.map((one) => Number(holdsTruth(one))))).toBeGreaterThanOrEqual(0.87);
  }, 60_000);
});
