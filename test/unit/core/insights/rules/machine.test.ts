import { describe, expect, it } from "vitest";
import { finding } from "../../../../support/findings.js";
import { exposing, wobbling, type SimulatedServer } from "../../../../support/simulated-server.js";

describe("throttling", () => {
  const violation = (perSecond: readonly number[]) =>
    exposing((exporter) => {
      const counter = exporter.counter("DCGM_FI_DEV_POWER_VIOLATION", "Throttling duration due to power", ["gpu"]);
      return () => perSecond.forEach((rise, gpu) => counter(rise, { gpu: String(gpu) }));
    });

  it("is reported for each GPU, in the unit that its rate has", async () => {
    const nanoseconds = await finding("throttled", violation([0, 300_000_000]));
    expect(nanoseconds?.text).toContain("GPU 1 was held back by its power limit for 30 % of the time");
    expect(nanoseconds?.confidence).toBe("high");
    const microseconds = await finding("throttled", violation([250_000, 0]));
    expect(microseconds?.text).toContain("GPU 0 was held back by its power limit for 25 % of the time");
    expect(microseconds?.confidence).toBe("medium");
  });

  it("of eight GPUs is not added up", async () => {
    const share = (await finding("throttled", violation(Array.from({ length: 8 }, () => 200_000_000))))?.evidence[0];
    expect(share?.value).toBeCloseTo(0.2, 2);
  });

  it("is read from the reasons that a GPU gives, idling left out", async () => {
    const reasons = (value: (second: number) => number) =>
      exposing((exporter) => {
        const gauge = exporter.gauge("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", "Made by hand.", ["gpu"]);
        return (second) => gauge(value(second), { gpu: "3" });
      });
    const hot = await finding(
      "throttled",
      reasons((second) => (second < 30 ? 0 : 0x20)),
    );
    expect(hot?.text).toMatch(/GPU 3 was held back by its temperature for (49|50|51)(\.\d)? % of the time/);
    expect(
      await finding(
        "throttled",
        reasons(() => 0x1),
      ),
    ).toBeUndefined();
  });
});

describe("memory", () => {
  const MEGABYTE = 1_000_000;
  /** In megabytes at a second, beside as many requests that wait. */
  const using = (
    megabytes: (second: number) => number,
    waiting: (second: number) => number = () => 0,
  ): SimulatedServer =>
    exposing((exporter) => {
      const memory = exporter.gauge("process_resident_memory_bytes", "Made by hand.");
      const runs = exporter.gauge("vllm:num_requests_running", "Made by hand.");
      const waits = exporter.gauge("vllm:num_requests_waiting", "Made by hand.");
      return (second) => {
        memory(megabytes(second) * MEGABYTE);
        runs(Math.round(wobbling(10, second)));
        waits(waiting(second));
      };
    });

  it("that rises to the end grows, with what it grows from and to", async () => {
    const found = await finding(
      "memory-growth",
      using((second) => 1000 + 10 * second),
    );
    expect(found?.confidence).toBe("medium");
    expect(found?.text).toMatch(/rose from 1,00\d MiB to 1\.4\d GiB \(45\.\d %\) without levelling off\.$/);
    expect(found?.evidence[0]).toMatchObject({ family: "process_resident_memory_bytes", threshold: 0.05 });
  });

  it("that fills up and then stays, or goes up and down, does not grow", async () => {
    for (const megabytes of [
      (second: number) => 1500 - 500 * Math.exp(-second / 6),
      (second: number) => 1000 + 300 * Math.sin(second / 5),
      (second: number) => 1000 + 0.5 * second,
    ])
      expect(await finding("memory-growth", using(megabytes))).toBeUndefined();
  });

  it("that grows with the queue tells less of a leak, and says so", async () => {
    const megabytes = (second: number) => 1000 + 10 * second;
    const [alone, together] = [
      await finding("memory-growth", using(megabytes)),
      await finding("memory-growth", using(megabytes, Math.round)),
    ];
    expect(together?.text).toContain("The queue grew with it");
    expect(together?.confidence).toBe("low");
    expect(together?.weight).toBeLessThan(alone?.weight ?? 0);
  });
});
