import { expect, it } from "vitest";
import { UserError } from "../../../src/core/text/errors.js";
import { describeFileError } from "../../../src/files/index.js";

const system = (code: string) => Object.assign(new Error(`${code}: of the system`), { code });

it("a failed file operation says what it means, and gives a remedy for reading where one reads", () => {
  const words = (code: string, doing: "read" | "write") => {
    const { message, remedy, system: kept } = describeFileError("/a", system(code), doing);
    expect(kept).toBe(code);
    return [message, remedy];
  };
  expect(words("ENOENT", "read")).toEqual(["/a cannot be read: there is no such file or folder.", undefined]);
  expect(words("EACCES", "read")).toEqual(["/a cannot be read: permission denied.", "Change its permissions."]);
  expect(words("EACCES", "write")).toEqual([
    "/a cannot be written: permission denied.",
    "Choose another folder, or change its permissions.",
  ]);
  expect(words("ENOSPC", "write")[1]).toBe("Free some space and try again.");
  expect(words("EWHATEVER", "read")).toEqual(["/a cannot be read: EWHATEVER: of the system.", undefined]);
});

it("what says already what went wrong is left as it is", () => {
  const error = new UserError("/a is no run.");
  expect(describeFileError("/b", error, "read")).toBe(error);
});
