import { readFileSync } from "node:fs";
import path from "node:path";
import { sourceFiles } from "./imports.js";

/** A setting, as JSON schema describes it. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly default?: unknown;
  readonly description?: string;
  readonly markdownDescription?: string;
  readonly scope?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly enumDescriptions?: readonly string[];
  readonly pattern?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface MenuEntry {
  readonly command: string;
  readonly when?: string;
}

/** What the tests read of package.json. */
export interface Manifest {
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

export const root = path.resolve(import.meta.dirname, "../..");
const textOf = (file: string) => readFileSync(path.join(root, file), "utf8");
/** By key: what stands for `%key%` in the manifest. */
export const manifestTexts = JSON.parse(textOf("package.nls.json")) as Readonly<Record<string, string>>;
export const manifest = JSON.parse(textOf("package.json"), (_, value: unknown) =>
  typeof value === "string" && /^%.*%$/.test(value) ? manifestTexts[value.slice(1, -1)] : value,
) as Manifest;
export const { contributes } = manifest;
/** Files of the extension with their text. */
export const sources = sourceFiles(root, ["src/extension"]).map((file) => ({
  file,
  text: readFileSync(path.join(root, file), "utf8"),
}));
export const sorted = (values: Iterable<string>) => [...values].sort();
