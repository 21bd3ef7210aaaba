import { describe, expect, it } from "vitest";
import { epochNs, loadWindowText, type LoadWindow } from "../../../../src/core/model/index.js";

const at = (seconds: number) => epochNs(BigInt(Math.round(seconds * 1000)) * 1_000_000n);
const load: LoadWindow = {
  start: at(10),
  end: at(34.1),
  by: "activity",
  mayBeOff: 0,
  whole: { start: at(0), end: at(60) },
};

describe("what is said of the measured window", () => {
  it("tells the load and what was captured", () => {
    expect(loadWindowText(load)).toBe("measured: 24.1 s of load out of 60.0 s captured");
    expect(loadWindowText(load, "all")).toBe("measured: all 60.0 s, of which 24.1 s are load");
  });

  it("tells no more load than was captured, where the scrapes around it lie outside", () => {
    const whole = { start: at(10.1), end: at(34.1) };
    expect(loadWindowText({ ...load, whole })).toBe("measured: 24.0 s of load out of 24.0 s captured");
  });
});
