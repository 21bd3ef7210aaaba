import path from "node:path";
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { describe, expect, it } from "vitest";
import { programOf } from "../../../src/cli/program.js";
import { sourceFiles } from "../../support/imports.js";
import { textsIn } from "../../support/texts.js";

const ROOT = path.resolve(import.meta.dirname, "../../..");

/** Commands that say what stands in these files: each must have the options that are named there. Others: any one. */
const SAID_BY: readonly (readonly [prefix: string, commands: readonly string[]])[] = [
  ["src/stores/prometheus/", ["fetch"]],
  ["src/kubernetes/", ["capture"]],
  ["src/stores/pushgateway.ts", ["push", "capture", "recover"]],
  ["src/stores/remote-write/", ["remote-write", "capture", "recover"]],
  ["src/collect/scrape-cost.ts", ["capture"]],
  ["src/collect/", ["capture", "snapshot"]],
  ["src/cli/options/stores.ts", ["capture"]],
  ["src/cli/capture/artifacts.ts", ["capture"]],
  ["src/cli/options/discovery.ts", ["capture"]],
  ["src/cli/input/compared-runs.ts", ["compare"]],
  ["src/cli/commands/history.ts", ["compare"]],
];

/** What servers and exporters are started with, in advice on them. */
const OF_OTHERS = [
  "src/core/catalog/",
  "src/core/insights/",
  "src/demo/",
  "src/engine/provenance/",
  "src/engine/capture/load-generator.ts",
  "src/core/experiment/example.ts",
];
const OTHERS = new Set([
  "--enable-metrics",
  "--web.enable-remote-write-receiver",
  "--save-detailed",
  // node's own.
  "--max-old-space-size",
  "--heap-growing-percent",
]);

function optionsOf(command: CommandUnknownOpts): ReadonlySet<string> {
  const own = [command, ...command.commands].flatMap(({ options }) => options);
  return new Set(own.flatMap(({ long }) => long ?? []).concat("--help"));
}

const program = await programOf([], () => undefined);
const options = new Map(program.commands.map((command) => [command.name(), optionsOf(command)]));
const [everywhere, versionToo] = [[...options.values()], optionsOf(program)];

/** Options that a text names and the commands that say it lack. */
function lacking(file: string, text: string): readonly string[] {
  const own = path.basename(file, ".ts");
  const sayers =
    SAID_BY.find(([prefix]) => file.startsWith(prefix))?.[1] ??
    (file.startsWith("src/cli/") && options.has(own) ? [own] : undefined);
  return [...text.matchAll(/(?<![\w-])--[a-z][a-z.-]*[a-z]/g)].flatMap(({ 0: name, index }) => {
    const said = [...text.slice(0, index).matchAll(/server-metrics ([a-z-]+)/g)].at(-1)?.[1];
    const commands = said === undefined ? sayers : [said];
    const known =
      commands === undefined
        ? versionToo.has(name) || everywhere.some((one) => one.has(name))
        : commands.every((command) => options.get(command)?.has(name));
    return known || OTHERS.has(name) ? [] : `${file} (${commands?.join(", ") ?? "any command"}): ${name}`;
  });
}

describe("advice", () => {
  it("names options that the command has", () => {
    const files = sourceFiles(ROOT, ["src"]);
    expect(files).toContain("src/stores/pushgateway.ts");
    const checked = files.filter((file) => !OF_OTHERS.some((prefix) => file.startsWith(prefix)));
    expect(checked.flatMap((file) => textsIn(path.join(ROOT, file)).flatMap((text) => lacking(file, text)))).toEqual(
      [],
    );
  });
});
