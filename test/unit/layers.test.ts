import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { importsOf, resolvedImports, sourceFiles } from "../support/imports.js";

const root = path.resolve(import.meta.dirname, "../..");

interface Layer {
  /** Layers it may import besides itself; "core" means all of src/core. */
  readonly imports: readonly string[];
  /** Packages, whole scopes ("@tanstack/") and schemes ("node:") it may import. */
  readonly packages: readonly string[];
}

/** The allow-list of DESIGN: imports go down only. A folder that is not listed here has no place yet. */
const LAYERS: Readonly<Record<string, Layer>> = {
  "src/core/text": { imports: [], packages: [] },
  "src/core/bytes": { imports: [], packages: ["fzstd"] },
  "src/core/math": { imports: [], packages: [] },
  "src/core/model": { imports: [], packages: [] },
  "src/core/exposition": { imports: ["src/core/model"], packages: [] },
  "src/core/catalog": { imports: ["src/core/model"], packages: [] },
  "src/core/store": { imports: ["src/core/model"], packages: [] },
  "src/core/stats": { imports: ["src/core/model", "src/core/store"], packages: [] },
  "src/core/window": {
    imports: ["src/core/model", "src/core/catalog", "src/core/store", "src/core/stats", "src/core/client"],
    packages: [],
  },
  "src/core/artifacts": {
    imports: ["src/core/model", "src/core/catalog", "src/core/store", "src/core/stats", "src/core/window"],
    packages: ["apache-arrow", "hyparquet", "hyparquet-writer", "hysnappy"],
  },
  "src/core/query": {
    imports: ["src/core/model", "src/core/catalog", "src/core/store", "src/core/stats"],
    packages: [],
  },
  "src/core/compare": {
    imports: ["src/core/model", "src/core/catalog", "src/core/store", "src/core/stats"],
    packages: ["re2js"],
  },
  "src/core/client": {
    imports: ["src/core/model", "src/core/catalog", "src/core/store", "src/core/stats"],
    packages: [],
  },
  "src/core/sweep": {
    imports: ["src/core/model", "src/core/catalog", "src/core/stats", "src/core/client", "src/core/compare"],
    packages: [],
  },
  "src/core/library": {
    imports: ["src/core/model", "src/core/catalog", "src/core/client", "src/core/sweep", "src/core/query"],
    packages: [],
  },
  "src/core/report": {
    imports: [
      "src/core/model",
      "src/core/catalog",
      "src/core/artifacts",
      "src/core/store",
      "src/core/stats",
      "src/core/client",
      "src/core/insights",
      "src/core/query",
    ],
    packages: [],
  },
  "src/core/insights": {
    imports: ["src/core/model", "src/core/catalog", "src/core/store", "src/core/stats", "src/core/client"],
    packages: [],
  },
  "src/core/experiment": {
    imports: [
      "src/core/model",
      "src/core/catalog",
      "src/core/store",
      "src/core/stats",
      "src/core/client",
      "src/core/compare",
      "src/core/insights",
    ],
    packages: ["yaml", "zod"],
  },
  "src/protocol": { imports: ["core"], packages: [] },
  "src/collect": { imports: ["core"], packages: ["node:", "undici", "re2js"] },
  "src/files": {
    imports: ["core"],
    packages: ["node:", "hyparquet", "hyparquet-writer", "hysnappy", "parquet-wasm", "fflate", "fzstd", "yaml"],
  },
  "src/stores": {
    imports: ["core", "src/collect"],
    packages: ["node:", "pbf", "hyparquet-writer", "hysnappy"],
  },
  "src/kubernetes": { imports: ["core"], packages: ["node:", "@kubernetes/client-node"] },
  "src/demo": { imports: ["core"], packages: ["node:", "prom-client"] },
  "src/engine": {
    imports: ["core", "src/collect", "src/files", "src/stores", "src/kubernetes", "src/demo", "src/protocol"],
    packages: ["node:"],
  },
  "src/experiment": {
    imports: ["core", "src/collect", "src/files", "src/protocol", "src/engine"],
    packages: ["node:"],
  },
  "src/agents": {
    imports: ["core", "src/collect", "src/files", "src/protocol", "src/engine", "src/experiment"],
    packages: ["node:", "zod"],
  },
  "src/cli": {
    imports: [
      "core",
      "src/collect",
      "src/files",
      "src/stores",
      "src/kubernetes",
      "src/demo",
      "src/protocol",
      "src/engine",
      "src/experiment",
      "src/agents",
    ],
    packages: [
      "node:",
      "@duckdb/node-api",
      "@commander-js/extra-typings",
      "commander",
      "ink",
      "react",
      "log-update",
      "string-width",
      "yaml",
      "@modelcontextprotocol/sdk",
    ],
  },
  "src/extension": {
    imports: ["core", "src/collect", "src/files", "src/stores", "src/demo", "src/protocol", "src/engine", "src/agents"],
    packages: ["node:", "vscode", "@vscode/l10n"],
  },
  "src/web": {
    imports: ["core", "src/protocol", "src/engine", "src/extension"],
    packages: ["node:", "vscode", "pako", "@noble/hashes"],
  },
  "webview-ui": {
    imports: ["core", "src/protocol"],
    packages: [
      "preact",
      "@preact/",
      "chart.js",
      "chartjs-plugin-zoom",
      "@tanstack/",
      "@vscode/webview-ui-toolkit",
      "@vscode/l10n",
    ],
  },
};

/** Of src/core, what a view gets: its model and pure helpers, not the columns, statistics or writers behind a run. */
const HOST_ONLY_CORE = ["src/core/store", "src/core/artifacts", "src/core/exposition"];

/** What any layer may import: helpers that know nothing of the others. */
const BASE = ["src/core/text", "src/core/bytes", "src/core/math"];

const names = Object.keys(LAYERS);
const layerOf = (file: string): string | undefined => names.find((name) => file.startsWith(`${name}/`));
const covers = (allowed: string, layer: string): boolean =>
  BASE.includes(layer) || allowed === layer || (allowed === "core" && layer.startsWith("src/core/"));
const isPackage = (allowed: string, specifier: string): boolean =>
  /[:/]$/.test(allowed) ? specifier.startsWith(allowed) : specifier === allowed || specifier.startsWith(`${allowed}/`);

const files = sourceFiles(root, ["src", "webview-ui"]);
const edges = files.flatMap((file) => resolvedImports(root, file).map((one) => ({ file, ...one })));

/** Each import that leads back to a module on the way to it, with that way. */
function cyclesOf(imported: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const way: string[] = [];
  const found: string[] = [];
  const visit = (file: string): void => {
    if (way.includes(file)) found.push([...way.slice(way.indexOf(file)), file].join(" → "));
    else if (!done.has(file)) {
      way.push(file);
      for (const target of imported.get(file) ?? []) visit(target);
      way.pop();
      done.add(file);
    }
  };
  for (const file of imported.keys()) visit(file);
  return found;
}

describe("the layer rule", () => {
  it("reads every kind of import", () => {
    const source = `
      import a from "a"; import { b } from "b"; import * as c from "c"; import "d"; import type { E } from "e";
      export { f } from "f"; export * from "g"; export type { H } from "h";
      const i = await import("i"); const j = require("j"); type K = import("k").K; import l = require("l");
      // import m from "m"
      const text = 'import n from "n"';`;
    const found = importsOf(source);
    expect(found.map(({ specifier }) => specifier).join("")).toBe("abcdefghijkl");
    expect(
      found
        .filter(({ typeOnly }) => typeOnly)
        .map(({ specifier }) => specifier)
        .join(""),
    ).toBe("ehk");
  });

  it("finds sources to check", () => {
    expect(files).toContain("src/core/model/series.ts");
    expect(edges.length).toBeGreaterThan(50);
  });

  it("has a place for every source file", () => {
    expect(files.filter((file) => layerOf(file) === undefined)).toEqual([]);
  });

  it("lets imports between layers go down only", () => {
    const wrong = edges.flatMap(({ file, line, specifier, target }) => {
      const from = layerOf(file);
      // The manifest is data that any part may read: names, version, settings.
      if (target === undefined || target === "package.json" || from === undefined) return [];
      const to = layerOf(target);
      if (
        to !== undefined &&
        (to === from || BASE.includes(to) || LAYERS[from]!.imports.some((allowed) => covers(allowed, to)))
      )
        return [];
      return [
        `${file}:${line} imports ${specifier}: ${from} may import ${LAYERS[from]!.imports.join(", ") || "nothing"}`,
      ];
    });
    expect(wrong).toEqual([]);
  });

  it("lets each layer use the packages it needs and no others", () => {
    const wrong = edges.flatMap(({ file, line, specifier, target }) => {
      const from = layerOf(file);
      if (
        target !== undefined ||
        from === undefined ||
        LAYERS[from]!.packages.some((allowed) => isPackage(allowed, specifier))
      )
        return [];
      return [
        `${file}:${line} imports ${specifier}: ${from} may import ${LAYERS[from]!.packages.join(", ") || "no package"}`,
      ];
    });
    expect(wrong).toEqual([]);
  });

  it("keeps what only the host holds out of the views", () => {
    const wrong = edges.filter(
      ({ file, target, typeOnly }) =>
        file.startsWith("webview-ui/") && !typeOnly && HOST_ONLY_CORE.some((layer) => target?.startsWith(`${layer}/`)),
    );
    expect(wrong.map(({ file, specifier }) => `${file} imports ${specifier}`)).toEqual([]);
  });

  it("has no cycle among modules, not even of types", () => {
    const modules = new Map(files.map((file) => [file.replace(/\.tsx?$/, ""), file]));
    const imported = new Map(
      files.map((file) => [
        file,
        edges.flatMap((edge) => (edge.file === file ? (modules.get(edge.target ?? "") ?? []) : [])),
      ]),
    );
    expect(cyclesOf(imported)).toEqual([]);
    expect(
      cyclesOf(
        new Map([
          ["a", ["b"]],
          ["b", ["c", "d"]],
          ["c", ["a"]],
          ["d", []],
        ]),
      ),
    ).toEqual(["a → b → c → a"]);
  });

  it("keeps the state of views free of how charts draw it", () => {
    const wrong = edges.filter(
      ({ file, target }) => file.startsWith("webview-ui/state/") && target?.startsWith("webview-ui/charts/"),
    );
    expect(wrong.map(({ file, specifier }) => `${file} imports ${specifier}`)).toEqual([]);
  });

  it("has no two source files called run.ts", () => {
    expect(files.filter((file) => path.basename(file) === "run.ts")).toEqual(["src/core/store/run.ts"]);
  });

  it("has one module that knows the webview toolkit", () => {
    const users = new Set(
      edges.filter(({ specifier }) => specifier.startsWith("@vscode/webview-ui-toolkit")).map(({ file }) => file),
    );
    expect(users.size).toBe(1);
  });

  it("imports relative modules with their .js suffix", () => {
    const wrong = edges.filter(
      ({ specifier, target }) => target !== undefined && !/\.(js|json|css|svg)$/.test(specifier),
    );
    expect(wrong.map(({ file, line, specifier }) => `${file}:${line} imports ${specifier}`)).toEqual([]);
  });
});

/** What the compiler knows in each project, so that it refuses the rest. */
const KNOWN: Readonly<Record<string, readonly ("node" | "dom")[]>> = {
  "src/core": [],
  "src/protocol": [],
  "src/collect": ["node"],
  "src/files": ["node"],
  "src/stores": ["node"],
  "src/kubernetes": ["node"],
  "src/demo": ["node"],
  "src/engine": ["node"],
  "src/experiment": ["node"],
  "src/agents": ["node"],
  "src/cli": ["node"],
  "src/extension": ["node"],
  "webview-ui": ["dom"],
};

describe("the compiler project of a layer", () => {
  const parsed = new Map<string, ts.SourceFile | undefined>();

  /** Which of the probes compile as a file of the project. */
  function known(project: string): string[] {
    const probes: Readonly<Record<string, string>> = {
      dom: "export const probe: string = document.title;\n",
      node: 'import { readFileSync } from "node:fs";\nexport const probe: number = process.pid + readFileSync("").length;\n',
    };
    const directory = path.join(root, project);
    const config = ts.readConfigFile(path.join(directory, "tsconfig.json"), (file) => readFileSync(file, "utf8"));
    const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, directory);
    return Object.entries(probes).flatMap(([name, source]) => {
      const file = path.join(directory, "probe-of-the-layer-test.ts");
      const host = ts.createCompilerHost(options);
      const getSourceFile = host.getSourceFile.bind(host);
      host.getSourceFile = (fileName, languageVersion) => {
        if (fileName === file) return ts.createSourceFile(fileName, source, languageVersion);
        if (!parsed.has(fileName)) parsed.set(fileName, getSourceFile(fileName, languageVersion));
        return parsed.get(fileName);
      };
      const program = ts.createProgram({
        rootNames: [file],
        options: { ...options, composite: false, noEmit: true, emitDeclarationOnly: false },
        host,
      });
      const probe = program.getSourceFile(file);
      return program.getSemanticDiagnostics(probe).length === 0 ? [name] : [];
    });
  }

  it.each(Object.entries(KNOWN))("%s knows %j and nothing else", { timeout: 60_000 }, (project, expected) => {
    expect(known(project)).toEqual(expected);
  });
});
