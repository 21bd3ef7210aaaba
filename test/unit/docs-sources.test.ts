import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/** Errors of a file that exists only here, beside the sources. */
function errorsOf(text: string): readonly string[] {
  const path = `${root}/src/extension/sample-of-the-docs.ts`;
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ["node", "vscode"],
  };
  const files = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...files,
    fileExists: (name) => name === path || files.fileExists(name),
    readFile: (name) => (name === path ? text : files.readFile(name)),
    getSourceFile: (name, ...rest) =>
      name === path
        ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, true)
        : files.getSourceFile(name, ...rest),
  };
  const program = ts.createProgram([path], options, host);
  return ts
    .getPreEmitDiagnostics(program, program.getSourceFile(path))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

it("the sample of registerSource compiles, and what the extension exports is what it expects", () => {
  const [, sample = ""] = /```ts\n(.*?)```/s.exec(readFileSync(`${root}/docs/sources.md`, "utf8")) ?? [];
  expect(sample).toContain("registerSource");
  const check = [
    'import type { ServerMetricsApi as Exported } from "./registered-sources.js";',
    sample,
    "export const fits = (api: Exported): ServerMetricsApi => api;",
  ].join("\n");
  expect(errorsOf(check)).toEqual([]);
  expect(errorsOf(check.replace("scrape: async", "scraped: async"))).not.toEqual([]);
}, 30_000);
