import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT, textFiles } from "../support/repository-files.js";

/** Folders that exist on one person's machine only. */
const MACHINE_PATH = /(?<![\w.:/-])(?:file:\/\/)?(?:\/(?:work|root|home|Users|mnt)\/[\w.-]+|[A-Z]:\\+Users\\+\w)/;

describe("the repository", () => {
  it("recognises a path of one machine", () => {
    const slash = "/";
    for (const text of [
      `${slash}home/ann/x`,
      `cd ${slash}root/project`,
      `"${slash}Users/ann"`,
      `file://${slash}work/x`,
      ["C:", "Users", "ann"].join("\\"),
    ]) {
      expect(text).toMatch(MACHINE_PATH);
    }
    for (const text of [
      "/usr/bin/chromium",
      "src/home/view.ts",
      `https://host${slash}home/page`,
      "/metrics",
      "at /work",
    ]) {
      expect(text).not.toMatch(MACHINE_PATH);
    }
  });

  it("names no path of the machine it was written on", () => {
    const files = [...textFiles(".")];
    expect(files).toContain("package.json");
    const found = files.flatMap((file) =>
      readFileSync(path.join(ROOT, file), "utf8")
        .split("\n")
        .flatMap((line, i) => (MACHINE_PATH.test(line) ? [`${file}:${i + 1}: ${line.trim().slice(0, 160)}`] : [])),
    );
    expect(found).toEqual([]);
  });

  it("keeps every style sheet beside its view, short and part of the page", () => {
    const sheets = [...textFiles("webview-ui")].filter((file) => file.endsWith(".css"));
    const view = "webview-ui/styles/view.css";
    const imported = [...readFileSync(path.join(ROOT, view), "utf8").matchAll(/@import "(.+)";/g)].map(
      ([, file = ""]) => path.posix.join(path.posix.dirname(view), file),
    );
    // A report's stands for what VS Code sets: it is a bundle of its own.
    const report = "webview-ui/report/report.css";
    expect([...imported, view, report].sort()).toEqual(sheets.sort());
    const long = sheets.filter((file) => readFileSync(path.join(ROOT, file), "utf8").split("\n").length > 301);
    expect(long).toEqual([]);
  });
});
