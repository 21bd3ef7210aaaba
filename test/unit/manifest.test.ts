import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import picomatch from "picomatch";
import { describe, expect, it } from "vitest";
import { ARTIFACT_GLOB, artifactName, COMPRESSIONS, isArtifact } from "../../src/core/artifacts/names.js";
import { AGENT_TOOLS } from "../../src/agents/index.js";
import { AGENT_TOOL_NAMES } from "../../src/agents/names.js";
import { ARTIFACT_FORMATS } from "../../src/protocol/engine.js";
import { CONTEXT_KEYS, EDITOR_TYPES, MEMORY_KEYS, VIEW_IDS, VIEW_TYPES } from "../../src/extension/command-ids.js";
import { COMMAND_IDS } from "../../src/extension/manifest/commands.js";
import { generatedContributions } from "../../src/extension/manifest/index.js";
import { SETTINGS } from "../../src/extension/settings/definitions.js";
import { contributes, manifest, manifestTexts, root, sorted, sources } from "../support/manifest.js";

const commandsIn = (text: string) => [...text.matchAll(/command:(serverMetrics\.[\w.]+)/g)].map((match) => match[1]!);

it("package.json has what the definitions of commands, settings and tools give (npm run manifest writes it)", () => {
  const generated = generatedContributions();
  expect(contributes).toMatchObject(JSON.parse(JSON.stringify(generated)) as object);
});

it("every text of the manifest can be translated, and none is left that nobody shows", () => {
  const written = readFileSync(path.join(root, "package.json"), "utf8");
  const named = [...written.matchAll(/"%(.+)%"/g)].map((match) => match[1]!);
  expect(sorted(Object.keys(manifestTexts))).toEqual(sorted(named));
  const left = JSON.stringify((JSON.parse(written) as { readonly contributes: unknown }).contributes);
  expect(left.match(/"(?:title|displayName|markdownDescription|userDescription|contents)":"[^%]/g)).toBeNull();
});

it("the bundle of translations has every text of the extension and its pages (npm run manifest writes it)", () => {
  expect(() => execFileSync(process.execPath, ["manifest.mjs", "--check"], { cwd: root, stdio: "pipe" })).not.toThrow();
});

describe("commands", () => {
  it("are all in the category, which no row of the palette names twice, with titles a user can search for", () => {
    for (const { category, title } of contributes.commands)
      expect(`${category}: ${title}`.split("Server Metrics"), title).toHaveLength(2);
    const titles = contributes.commands.map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    expect(titles).toEqual(
      expect.arrayContaining([
        "Start Capture",
        "Stop Capture",
        "Mark Profiling Start",
        "Add Mark",
        "Export Capture As…",
        "Start Demo Server",
      ]),
    );
  });

  it("named in menus, keybindings, welcome texts and the walkthrough exist", () => {
    const known = new Set<string>(COMMAND_IDS);
    const named = [
      ...Object.values(contributes.menus)
        .flat()
        .map(({ command }) => command),
      ...contributes.keybindings.map(({ command }) => command),
      ...contributes.viewsWelcome.flatMap(({ contents }) => commandsIn(contents)),
      ...contributes.walkthroughs.flatMap(({ steps }) =>
        steps.flatMap((step) => [
          ...commandsIn(step.description),
          ...step.completionEvents.map((event) => event.replace("onCommand:", "")),
        ]),
      ),
    ];
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((command) => !known.has(command))).toEqual([]);
  });

  it("named in the code exist", () => {
    const known = new Set<string>([
      ...COMMAND_IDS,
      ...Object.values(SETTINGS).map(({ key }) => key),
      ...Object.values(VIEW_IDS),
      ...Object.values(CONTEXT_KEYS),
      ...Object.values(EDITOR_TYPES),
      ...Object.values(VIEW_TYPES),
    ]);
    const own = new Set([
      "serverMetrics.layout",
      "serverMetrics.runLayouts",
      "serverMetrics.comparisonLayouts",
      "serverMetrics.comparisonSets",
      "serverMetrics.libraryLayouts",
      "serverMetrics.folderWithoutWorkspace",
      "serverMetrics.journalFolders",
      ...Object.values(MEMORY_KEYS),
      ...contributes.mcpServerDefinitionProviders.map(({ id }) => id),
    ]);
    const named = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/"(serverMetrics\.[\w.]+)"/g)].map((match) => ({ file, name: match[1]! })),
    );
    expect(named.length).toBeGreaterThan(COMMAND_IDS.length);
    expect(named.filter(({ name }) => !known.has(name) && !own.has(name))).toEqual([]);
  });

  it("of a tree row are kept out of the palette", () => {
    const hidden = contributes.menus["commandPalette"]!.filter(({ when }) => when === "false").map(
      ({ command }) => command,
    );
    const needRow = COMMAND_IDS.filter(
      (id) => /^serverMetrics\.(capture|artifacts)\./.test(id) && id !== "serverMetrics.artifacts.refresh",
    );
    expect(sorted(hidden)).toEqual(sorted(needRow));
  });

  it("shown as buttons have an icon", () => {
    const icons = new Set(contributes.commands.filter(({ icon }) => icon !== undefined).map(({ command }) => command));
    const buttons = Object.entries(contributes.menus).flatMap(([, entries]) =>
      entries.filter((entry) => "group" in entry && /^(navigation|inline)/.test(String(entry.group))),
    );
    expect(buttons.length).toBeGreaterThan(5);
    expect(buttons.filter(({ command }) => !icons.has(command))).toEqual([]);
  });
});

describe("when clauses", () => {
  const clauses = [
    ...contributes.commands.map(({ enablement }) => enablement),
    ...Object.values(contributes.menus)
      .flat()
      .map(({ when }) => when),
    ...contributes.keybindings.map(({ when }) => when),
    ...contributes.viewsWelcome.map(({ when }) => when),
  ].filter((clause) => clause !== undefined);

  it("read only keys and views that the code sets", () => {
    const known = new Set<string>([
      ...Object.values(CONTEXT_KEYS),
      ...Object.values(VIEW_IDS),
      ...Object.values(EDITOR_TYPES),
      ...Object.values(VIEW_TYPES),
    ]);
    const read = clauses.flatMap((clause) => [...clause.matchAll(/serverMetrics\.\w+/g)].map((match) => match[0]));
    expect(new Set(read).size).toBeGreaterThan(4);
    expect(read.filter((key) => !known.has(key))).toEqual([]);
  });

  it("let a capture be started before the extension has set any key", () => {
    const start = contributes.commands.find(({ command }) => command === "serverMetrics.startCapture");
    expect(start?.enablement).toBe(`!${CONTEXT_KEYS.busy}`);
  });

  it("name contexts that tree rows have", () => {
    const rows = ["endpoint", "endpoint.capturing", "group", "family", "series", "artifactRun", "artifactFile"];
    const conditions = clauses.flatMap((clause) => [...clause.matchAll(/viewItem (==|=~) (\/[^/]+\/|[\w.]+)/g)]);
    expect(conditions.length).toBeGreaterThan(5);
    for (const [whole, operator, operand] of conditions) {
      const matches =
        operator === "=="
          ? (row: string) => row === operand
          : (row: string) => new RegExp(operand!.slice(1, -1)).test(row);
      expect(rows.some(matches), whole).toBe(true);
    }
  });
});

describe("custom editors", () => {
  /** By the rules of the workbench's globs for names without a folder. */
  const matches = (editor: (typeof contributes.customEditors)[number], name: string) =>
    editor.selector.some(({ filenamePattern }) => picomatch(filenamePattern, { dot: true })(name));
  const byType = (type: string) => contributes.customEditors.find(({ viewType }) => viewType === type)!;

  it("are the same in the manifest and in the code, with names of their own", () => {
    expect(sorted(contributes.customEditors.map(({ viewType }) => viewType))).toEqual(
      sorted(Object.values(EDITOR_TYPES)),
    );
    expect(new Set(contributes.customEditors.map(({ displayName }) => displayName)).size).toBe(
      contributes.customEditors.length,
    );
    expect(byType(EDITOR_TYPES.run).priority).toBe("default");
    expect(byType(EDITOR_TYPES.anyFile).priority).toBe("option");
  });

  it.each(ARTIFACT_FORMATS)("are the default for the names that %s artifacts are written under", (format) => {
    for (const prefix of [undefined, "batch-64", "a.b"])
      for (const compression of [undefined, ...COMPRESSIONS]) {
        const name = artifactName(format, prefix, compression);
        expect(matches(byType(EDITOR_TYPES.run), name), name).toBe(true);
        expect(matches(byType(EDITOR_TYPES.anyFile), name), name).toBe(true);
        expect(picomatch(ARTIFACT_GLOB)(`runs/a/${name}`), name).toBe(true);
      }
  });

  it.each([
    "phase_manifest.json",
    "phase_manifest.json.zst",
    "runs/a/phases/low/server_metrics.json",
    "/runs/a/phases/low/server_metrics.json.gz",
  ])("are the default for %s", (name) => {
    expect(matches(byType(EDITOR_TYPES.run), name)).toBe(true);
  });

  it.each(["package.json", "data.csv", "my_server_metrics.json.bak", "server_metrics.py", "server_metrics_export.txt"])(
    "leave %s to its own editor",
    (name) => {
      expect(matches(byType(EDITOR_TYPES.run), name)).toBe(false);
    },
  );

  it.each([
    "run.jsonl",
    "run.parquet",
    "run.json",
    "run.csv",
    "snapshot.prom",
    "metrics.txt",
    "scrapes.jsonl.gz",
    "scrapes.jsonl.zst",
    "snapshot.prom.gz",
    "metrics.csv",
    "aiperf.json",
  ])("can be chosen for %s", (name) => {
    expect(matches(byType(EDITOR_TYPES.anyFile), name)).toBe(true);
  });

  it("have their buttons only where they are in front, and the way back only where they are not", () => {
    const ours = Object.values(EDITOR_TYPES);
    const title = contributes.menus["editor/title"]!.filter(({ command }) =>
      command.startsWith("serverMetrics.editor."),
    );
    expect(sorted(title.map(({ command }) => command))).toEqual(
      sorted(COMMAND_IDS.filter((id) => id.startsWith("serverMetrics.editor."))),
    );
    for (const { command, when = "" } of title) {
      const [is, isNot] = ["==", "!="].map((operator) =>
        ours.every((type) => when.includes(`activeCustomEditorId ${operator} ${type}`)),
      );
      expect([is, isNot], command).toEqual(
        command === "serverMetrics.editor.openAsRunView" ? [false, true] : [true, false],
      );
    }
  });

  it("are offered from text for just the names they are the default for", () => {
    const { when = "" } = contributes.menus["editor/title"]!.find(
      ({ command }) => command === "serverMetrics.editor.openAsRunView",
    )!;
    const pattern = new RegExp(/resourceFilename =~ \/(.*)\//.exec(when)![1]!);
    for (const name of [
      "server_metrics_export.json",
      "x_server_metrics.parquet",
      "server_metrics_export.jsonl.zst",
      "x_server_metrics.csv.gz",
      "server_metrics_export.json.bz2",
      "package.json",
      "server_metrics_export.txt",
    ]) {
      expect(pattern.test(name), name).toBe(matches(byType(EDITOR_TYPES.run), name));
      expect(isArtifact(name), name).toBe(matches(byType(EDITOR_TYPES.run), name));
    }
  });
});

describe("activation", () => {
  it("brings the live view, comparisons, runs and experiments back after a reload, and offers recovery at the start", () => {
    expect(sorted(manifest.activationEvents)).toEqual(
      sorted(["onStartupFinished", ...Object.values(VIEW_TYPES).map((type) => `onWebviewPanel:${type}`)]),
    );
  });

  it("runs where the server is, on a Code no newer than its types", () => {
    expect(manifest.extensionKind).toEqual(["workspace"]);
    expect(manifest.main).toBe("./dist/extension.js");
    expect(manifest.engines.vscode).toBe("^1.100.0");
    expect(manifest.devDependencies["@types/vscode"]).toBe("1.100");
  });
});

it("the agents' tools have the names that the extension registers", () => {
  expect(AGENT_TOOL_NAMES).toEqual(AGENT_TOOLS.map(({ name }) => name));
});

describe("views", () => {
  it("are the same in the manifest and in the code", () => {
    expect(contributes.viewsContainers.activitybar.map(({ id }) => id)).toEqual(Object.keys(contributes.views));
    expect(
      sorted(
        Object.values(contributes.views)
          .flat()
          .map(({ id }) => id),
      ),
    ).toEqual(sorted(Object.values(VIEW_IDS)));
    expect(sorted(new Set(contributes.viewsWelcome.map(({ view }) => view)))).toEqual(sorted(Object.values(VIEW_IDS)));
  });

  it("welcome with one button at most; everything else is a link in a sentence", () => {
    const buttons = (contents: string) => contents.split("\n").filter((line) => /^\[[^\]]+\]\([^)]+\)$/.test(line));
    const first = contributes.viewsWelcome.map(({ contents }) => buttons(contents));
    expect(Math.max(...first.map(({ length }) => length))).toBe(1);
    expect(first[0]).toEqual(["[Start Capture](command:serverMetrics.startCapture)"]);
  });

  it("have files behind their pictures", () => {
    const files = [
      manifest.icon,
      ...contributes.viewsContainers.activitybar.map(({ icon }) => icon),
      ...contributes.walkthroughs.flatMap(({ steps }) => steps.map(({ media }) => media.markdown)),
    ];
    expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
    const icon = readFileSync(path.join(root, manifest.icon));
    expect([icon.readUInt32BE(16), icon.readUInt32BE(20)]).toEqual([128, 128]);
  });
});
