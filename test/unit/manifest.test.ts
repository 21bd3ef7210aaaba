import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import picomatch from "picomatch";
import { describe, expect, it } from "vitest";
import { artifactName, COMPRESSIONS } from "../../src/core/artifacts/names.js";
import { AGENT_TOOLS } from "../../src/agents/index.js";
import { AGENT_TOOL_NAMES } from "../../src/agents/names.js";
import { DEMO_PROFILES } from "../../src/demo/index.js";
import { ARTIFACT_FORMATS } from "../../src/protocol/engine.js";
import {
  COMMAND_IDS,
  COMPARISON_VIEW_TYPE,
  CONTEXT_KEYS,
  EDITOR_TYPES,
  LIVE_VIEW_TYPE,
  SWEEP_VIEW_TYPE,
  VIEW_IDS,
} from "../../src/extension/command-ids.js";
import { SETTINGS } from "../../src/extension/settings/definitions.js";
import type { Setting } from "../../src/extension/settings/setting.js";
import { ARTIFACT_GLOB, isArtifact } from "../../src/core/artifacts/names.js";
import { sourceFiles } from "../support/imports.js";

interface Schema {
  readonly type?: string | readonly string[];
  readonly default?: unknown;
  readonly description?: string;
  readonly markdownDescription?: string;
  readonly scope?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface MenuEntry {
  readonly command: string;
  readonly when?: string;
}

interface Manifest {
  readonly main: string;
  readonly icon: string;
  readonly extensionKind: readonly string[];
  readonly activationEvents: readonly string[];
  readonly engines: { readonly vscode: string };
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] } };
  readonly contributes: {
    readonly commands: readonly {
      readonly command: string;
      readonly title: string;
      readonly category: string;
      readonly icon?: string;
      readonly enablement?: string;
    }[];
    readonly menus: Readonly<Record<string, readonly MenuEntry[]>>;
    readonly customEditors: readonly {
      readonly viewType: string;
      readonly displayName: string;
      readonly priority: string;
      readonly selector: readonly { readonly filenamePattern: string }[];
    }[];
    readonly keybindings: readonly (MenuEntry & { readonly key: string })[];
    readonly viewsContainers: { readonly activitybar: readonly { readonly id: string; readonly icon: string }[] };
    readonly views: Readonly<Record<string, readonly { readonly id: string; readonly name: string }[]>>;
    readonly viewsWelcome: readonly { readonly view: string; readonly contents: string; readonly when?: string }[];
    readonly walkthroughs: readonly {
      readonly steps: readonly {
        readonly description: string;
        readonly media: { readonly markdown: string };
        readonly completionEvents: readonly string[];
      }[];
    }[];
    readonly languageModelTools: readonly {
      readonly name: string;
      readonly displayName: string;
      readonly modelDescription: string;
      readonly inputSchema: unknown;
    }[];
    readonly mcpServerDefinitionProviders: readonly { readonly id: string; readonly label: string }[];
    readonly configuration: { readonly properties: Readonly<Record<string, Schema>> };
  };
}

const root = path.resolve(import.meta.dirname, "../..");
const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as Manifest;
const { contributes } = manifest;
const properties = contributes.configuration.properties;
const settings: readonly Setting<unknown>[] = Object.values(SETTINGS);
const sources = sourceFiles(root, ["src/extension"]).map((file) => ({
  file,
  text: readFileSync(path.join(root, file), "utf8"),
}));
const sorted = (values: Iterable<string>) => [...values].sort();
const commandsIn = (text: string) => [...text.matchAll(/command:(serverMetrics\.[\w.]+)/g)].map((match) => match[1]!);

describe("commands", () => {
  it("are the same in the manifest and in the code", () => {
    expect(sorted(contributes.commands.map(({ command }) => command))).toEqual(sorted(COMMAND_IDS));
  });

  it("are all in the category, with titles a user can search for", () => {
    expect(new Set(contributes.commands.map(({ category }) => category))).toEqual(new Set(["Server Metrics"]));
    const titles = contributes.commands.map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    expect(titles).toEqual(
      expect.arrayContaining([
        "Start Server Metrics Capture",
        "Stop Server Metrics Capture",
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
      ...settings.map(({ key }) => key),
      ...Object.values(VIEW_IDS),
      ...Object.values(CONTEXT_KEYS),
      ...Object.values(EDITOR_TYPES),
      LIVE_VIEW_TYPE,
      COMPARISON_VIEW_TYPE,
      SWEEP_VIEW_TYPE,
    ]);
    const own = new Set([
      "serverMetrics.layout",
      "serverMetrics.fileLayouts",
      "serverMetrics.comparisonLayouts",
      "serverMetrics.folderWithoutWorkspace",
      "serverMetrics.journalFolders",
      "serverMetrics.recentStores",
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
      LIVE_VIEW_TYPE,
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

describe("settings", () => {
  it("are the same in the manifest and in the code", () => {
    expect(sorted(Object.keys(properties))).toEqual(sorted(settings.map(({ key }) => key)));
  });

  it.each(settings.map((setting) => [setting.key, setting] as const))(
    "%s has the code's default and limits, a description and a scope",
    (key, setting) => {
      const schema = properties[key]!;
      expect(schema.default).toEqual(setting.default);
      expect((schema.markdownDescription ?? schema.description ?? "").length).toBeGreaterThan(20);
      expect(["window", "machine-overridable"]).toContain(schema.scope);
      expect(setting.parse(schema.default)).toEqual(setting.default);
      if (setting.limits?.minimum !== undefined)
        expect([schema.minimum, schema.maximum]).toEqual([setting.limits.minimum, setting.limits.maximum]);
      if (setting.limits?.values !== undefined)
        expect(sorted(schema.enum ?? schema.items?.enum ?? [])).toEqual(sorted(setting.limits.values));
    },
  );

  it.each(
    settings.filter(({ limits }) => limits?.minimum !== undefined).map((setting) => [setting.key, setting] as const),
  )("%s refuses what lies outside its limits, naming them", (key, setting) => {
    const { minimum, maximum } = setting.limits!;
    expect(setting.parse(minimum)).toBe(minimum);
    expect(setting.parse(maximum)).toBe(maximum);
    for (const wrong of [minimum! - 1, maximum! + 1, "seven", null, NaN, undefined]) {
      expect(() => setting.parse(wrong), String(wrong)).toThrow(
        new RegExp(`${key.replaceAll(".", "\\.")} must be .*${minimum}.*${maximum}`),
      );
    }
  });

  it.each(
    settings.filter(({ limits }) => limits?.isDuration === true).map((setting) => [setting.key, setting] as const),
  )("%s takes a number or a time with a unit, in the field and when read", (key, setting) => {
    const { type, pattern } = properties[key]!;
    expect(type).toEqual(["number", "string"]);
    const bare = key === "serverMetrics.interval" ? 1000 : 1;
    expect([setting.parse(bare), setting.parse("1s"), setting.parse("1000ms"), setting.parse(`${bare}`)]).toEqual([
      bare,
      bare,
      bare,
      bare,
    ]);
    for (const text of ["1s", "333ms", "1.5 min"]) expect(text).toMatch(new RegExp(pattern!, "u"));
    for (const text of ["", "1 day", "ms", "-1s"]) {
      expect(text).not.toMatch(new RegExp(pattern!, "u"));
      expect(() => setting.parse(text)).toThrow(/ must be a number of .* or a time such as 333ms/);
    }
  });

  it("offer every profile of the demo server", () => {
    expect(properties["serverMetrics.demo.profile"]?.enum).toEqual(DEMO_PROFILES);
  });

  it("offer every artifact format", () => {
    expect(properties["serverMetrics.formats"]?.items?.enum).toEqual(expect.arrayContaining([...ARTIFACT_FORMATS]));
  });

  it.each([
    "localhost:8000",
    "http://localhost:8000/metrics",
    "https://gpu-1.example:30000/v1",
    "10.0.0.7:8081",
    "[::1]:8000",
    "host",
    "http://h/prometheus/metrics?x=1",
  ])("take the URL %s in the field and when read", (url) => {
    const { pattern } = properties["serverMetrics.endpoints"]!.items!.properties!["url"]!;
    expect(url).toMatch(new RegExp(pattern!, "u"));
    expect(SETTINGS.endpoints.parse([{ url }])).toEqual([{ url, enabled: true }]);
  });

  it.each(["", "ftp://host/metrics", "8000", "two words", "http://"])(
    "refuse the URL %j in the field and when read",
    (url) => {
      const { pattern } = properties["serverMetrics.endpoints"]!.items!.properties!["url"]!;
      expect(url).not.toMatch(new RegExp(pattern!, "u"));
      expect(() => SETTINGS.endpoints.parse([{ url: "localhost:1" }, { url }])).toThrow(
        /serverMetrics\.endpoints, entry 2: /,
      );
    },
  );

  it.each([
    ["0", true],
    ["12.5", true],
    ["30s", true],
    ["2 m", true],
    ["manual", true],
    ["-1", false],
    ["1 min", true],
    ["1 day", false],
    ["", false],
    [" 30 ", true],
  ])("judge the warm-up %j alike in the field and when read", (text, valid) => {
    expect(new RegExp(properties["serverMetrics.warmup"]!.pattern!, "u").test(text)).toBe(valid);
    if (valid) expect(SETTINGS.warmup.parse(text)).toBe(text);
    else expect(() => SETTINGS.warmup.parse(text)).toThrow(/serverMetrics\.warmup must be/);
  });

  it.each([
    ["batch-64", true],
    ["", true],
    ["../elsewhere", false],
    ["a/b", false],
    ["a\\b", false],
  ])("takes the prefix %j as a part of a file name: %s", (text, valid) => {
    if (valid) expect(SETTINGS.prefix.parse(text)).toBe(text);
    else expect(() => SETTINGS.prefix.parse(text)).toThrow(/serverMetrics\.prefix must be a part of a file name/);
  });

  it("say which assertion cannot be read, and where", () => {
    const key = "serverMetrics.assertions";
    expect(SETTINGS.assertions.parse(['any: vllm:num_requests_running{engine="0"} max <= 256'])).toMatchObject([
      { over: "any", family: "vllm:num_requests_running", limit: 256 },
    ]);
    const refusal = (value: unknown) => {
      try {
        SETTINGS.assertions.parse(value);
      } catch (error) {
        return error;
      }
      return undefined;
    };
    const good = "a:b avg < 1";
    expect(refusal([good, "a:b p42 < 1"])).toMatchObject({
      message: expect.stringContaining(
        `${key}, entry 2 (“a:b p42 < 1”), column 5: there is no statistic "p42"`,
      ) as string,
      setting: key,
    });
    expect(refusal([good, "a:b avg <"])).toMatchObject({
      message: `${key}, entry 2 (“a:b avg <”), column 10: expected a number, but the text ends here.`,
      setting: key,
    });
    expect(refusal([7])).toMatchObject({ message: expect.stringMatching(/entry 1: must be a text such as/) as string });
    expect(refusal("a:b avg < 1")).toMatchObject({ message: expect.stringMatching(/must be a list/) as string });
  });

  it("that a workspace could misuse wait for trust", () => {
    const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    expect(restrictedConfigurations.filter((key) => properties[key] === undefined)).toEqual([]);
    expect(restrictedConfigurations).toEqual(
      expect.arrayContaining(["serverMetrics.endpoints", "serverMetrics.outputFolder"]),
    );
  });

  it("are read in one place, through their definitions", () => {
    const readers = sources.filter(({ text }) => text.includes("getConfiguration(")).map(({ file }) => file);
    expect(sorted(readers)).toEqual(["src/extension/settings/endpoints.ts", "src/extension/settings/read.ts"]);
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
  it("brings the live view and comparisons back after a reload, and offers recovery at the start", () => {
    expect(sorted(manifest.activationEvents)).toEqual(
      sorted(["onStartupFinished", `onWebviewPanel:${LIVE_VIEW_TYPE}`, `onWebviewPanel:${COMPARISON_VIEW_TYPE}`]),
    );
  });

  it("runs where the server is, on a Code no newer than its types", () => {
    expect(manifest.extensionKind).toEqual(["workspace"]);
    expect(manifest.main).toBe("./dist/extension.js");
    expect(manifest.engines.vscode).toBe("^1.100.0");
    expect(manifest.devDependencies["@types/vscode"]).toBe("1.100");
  });
});

describe("language-model tools", () => {
  it("are those of the MCP server, with the same descriptions and parameters", () => {
    expect(AGENT_TOOL_NAMES).toEqual(AGENT_TOOLS.map(({ name }) => name));
    expect(
      contributes.languageModelTools.map(({ name, displayName, modelDescription, inputSchema }) => ({
        name,
        displayName,
        modelDescription,
        inputSchema,
      })),
    ).toEqual(
      AGENT_TOOLS.map(({ name, title, description, inputSchema }) => ({
        name: `server_metrics_${name}`,
        displayName: title,
        modelDescription: description,
        inputSchema,
      })),
    );
  });
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
