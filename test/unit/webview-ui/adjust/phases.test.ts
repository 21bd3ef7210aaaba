import { describe, expect, it } from "vitest";
import { offsetNs } from "../../../../src/core/model/index.js";
import { phaseAdjustment, phaseChoice } from "../../../../webview-ui/adjust/text.js";

const at = (seconds: number) => offsetNs(seconds * 1e9);
const low = { name: "low", kind: "profiling", start: at(30), end: at(60) } as const;
const high = { name: "recorded", kind: "profiling", start: at(60), end: at(90) } as const;
const warmup = { name: "warmup", kind: "warmup", start: at(0), end: at(30) } as const;

describe("the choice of a phase", () => {
  it("is not there for a run without phases", () => {
    expect(phaseChoice({})).toBeUndefined();
  });

  it("has every phase and the recorded window, which leaves the warm-up out", () => {
    expect(phaseChoice({ phases: [low, high] })?.options.map(({ text }) => text)).toEqual([
      "Whole run",
      "low",
      "recorded",
    ]);
    expect(phaseChoice({ phases: [warmup, low] })?.options[0]?.text).toBe("All but the warm-up");
    const idle = { name: "idle before", kind: "idle", start: at(0), end: at(30) } as const;
    const load = { rule: "load", text: "measured", switchable: true } as const;
    expect(phaseChoice({ phases: [idle], load })?.options.map(({ text }) => text)).toEqual(["Load", "idle before"]);
  });

  it("shows the present window by its name, and a window of its own as a part of the run", () => {
    const shown = (window?: { start: ReturnType<typeof at>; end: ReturnType<typeof at> }) => {
      const choice = phaseChoice({ phases: [low, high], ...(window === undefined ? {} : { window }) });
      return choice?.options.find(({ value }) => value === choice.value)?.text;
    };
    expect(shown()).toBe("Whole run");
    expect(shown({ start: low.start, end: low.end })).toBe("low");
    expect(shown({ start: at(31), end: low.end })).toBe("Part of the run");
  });

  it("sets the window as its handles do, and goes back the same way, whatever a phase is called", () => {
    const header = { phases: [low, high], window: { start: at(1), end: at(2) } };
    const adjustments = phaseChoice(header)?.options.map(({ value }) => phaseAdjustment(value, header));
    expect(adjustments).toEqual([
      { window: "recorded" },
      { window: { start: at(30), end: at(60) } },
      { window: { start: at(60), end: at(90) } },
      undefined,
    ]);
  });
});
