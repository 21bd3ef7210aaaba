import { expect, it } from "vitest";
import { readEnvironment } from "../../../src/cli/options/environment.js";

it("the environment reader takes AIPerf's endpoints where ours are not set, and none where ours are empty", () => {
  const aiperf = { AIPERF_SERVER_METRICS_DEFAULT_ENDPOINTS: "a:8000, b:8000" };
  expect(readEnvironment(aiperf).endpoints).toEqual(["a:8000", "b:8000"]);
  expect(readEnvironment({ ...aiperf, SERVER_METRICS_DEFAULT_ENDPOINTS: "" }).endpoints).toEqual([]);
  expect(readEnvironment({ AIPERF_SERVER_METRICS_DEFAULT_ENDPOINTS: "" }).endpoints).toEqual([]);
});

it("the environment reader takes an empty number as one that is not set", () => {
  const env = { SERVER_METRICS_FLUSH_PERIOD: "", AIPERF_SERVER_METRICS_COLLECTION_FLUSH_PERIOD: "7" };
  expect(readEnvironment(env).flushPeriodMs).toBe(7000);
});

it("the environment reader hides the usual secrets where the list of secret parameters is not set", () => {
  expect(readEnvironment({}).secretParameters).toContain("api_key");
});
