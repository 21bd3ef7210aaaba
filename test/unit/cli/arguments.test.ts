import { describe, expect, it } from "vitest";
import { UserError } from "../../../src/core/text/errors.js";
import { endpointsAndCommand, NEXT_SET, normalizeArguments } from "../../../src/cli/arguments.js";
import { labelArgument } from "../../../src/cli/options/shared.js";
import { LONGEST_LABEL } from "../../../src/core/model/index.js";

const words = (line: string) => ["node", "cli", ...line.split(" ")];
const normalized = (line: string) => normalizeArguments(words(line)).slice(2).join(" ");

describe("a run's label", () => {
  it("has as many characters as everywhere, and none where it is empty", () => {
    expect(labelArgument(` ${"x".repeat(LONGEST_LABEL)} `)).toBe("x".repeat(LONGEST_LABEL));
    expect(labelArgument("  ")).toBeUndefined();
    expect(() => labelArgument("x".repeat(LONGEST_LABEL + 1))).toThrow("A label has at most 100 characters.");
  });
});

describe("the command line", () => {
  it.each([
    ["capture h:1 --formats json csv parquet --out d", "capture h:1 --formats json,csv,parquet --out d"],
    ["capture --formats=json csv h:1", "capture --formats=json,csv h:1"],
    ["replay --formats json log.jsonl", "replay --formats json log.jsonl"],
    ["capture --formats json, csv -- json csv", "capture --formats json,,csv -- json csv"],
    ["capture --formats nonsense csv", "capture --formats nonsense,csv"],
    ["export f --out json csv", "export f --out json csv"],
    ["show f --statistics avg p99 rate --wide", "show f --statistics avg,p99,rate --wide"],
    ["show --statistics=avg max run.jsonl", "show --statistics=avg,max run.jsonl"],
  ])("%s is read as %s", (line, read) => {
    expect(normalized(line)).toBe(read);
  });

  it("keeps the borders between the sets of a comparison", () => {
    const expected = ["node", "cli", "compare", "a", NEXT_SET, "b", "--json"];
    expect(normalizeArguments(words("compare a -- b --json"))).toEqual(expected);
  });
});

describe("what capture is given", () => {
  const split = (line: string, operands: string) =>
    endpointsAndCommand(words(line), operands === "" ? [] : operands.split(" "));

  it("is endpoints before -- and a command after it", () => {
    expect(split("capture gpu-7 gpu-8:8000 -- bench --rate 4", "gpu-7 gpu-8:8000 bench --rate 4")).toEqual({
      endpoints: ["gpu-7", "gpu-8:8000"],
      command: ["bench", "--rate", "4"],
    });
    expect(split("capture localhost", "localhost")).toEqual({ endpoints: ["localhost"], command: [] });
  });

  it("is refused when a command stands there without --, with the words to write", () => {
    expect(() => split("capture --url h:1 node bench.js", "node bench.js")).toThrow("a command needs -- before it");
    const remedy = (operands: string) => {
      try {
        return split(`capture ${operands}`, operands);
      } catch (error) {
        return error instanceof UserError ? error.remedy : error;
      }
    };
    expect(remedy("h:1 g:2 node bench.js")).toBe("Write: server-metrics capture h:1 g:2 -- node bench.js");
    expect(remedy("node bench.js")).toBe("Write: server-metrics capture HOST:PORT -- node bench.js");
  });

  it("is refused when nothing follows --", () => {
    expect(() => split("capture h:1 --", "h:1")).toThrow("there is no command after --");
  });
});
