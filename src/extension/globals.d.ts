/*
 * What VS Code 1.101 added for servers of the Model Context Protocol. The types in use are those of 1.100, the oldest
 * version that runs the extension, so all of it may be missing. Goes when `engines.vscode` reaches 1.101.
 */
import type { Disposable, Event } from "vscode";

declare module "vscode" {
  export const McpStdioServerDefinition:
    | (new (
        label: string,
        command: string,
        args?: string[],
        env?: Record<string, string | number | null>,
        version?: string,
      ) => object)
    | undefined;

  export namespace lm {
    export const registerMcpServerDefinitionProvider:
      | ((
          id: string,
          provider: {
            readonly onDidChangeMcpServerDefinitions?: Event<void>;
            readonly provideMcpServerDefinitions: () => object[];
            readonly resolveMcpServerDefinition?: (server: object) => Promise<object>;
          },
        ) => Disposable)
      | undefined;
  }
}
