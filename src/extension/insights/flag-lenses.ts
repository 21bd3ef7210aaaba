import { Uri, type Disposable, type Event } from "vscode";
import { optionLines, optionsIn } from "../../core/insights/engine-options.js";
import { isFields, parseJson } from "../../core/text/index.js";
import { commandLine } from "../experiment/command-line.js";
import type { Notifier } from "../notify.js";
import { newestRuns, type ArtifactRun } from "../tree/artifact-files.js";
import { commandLenses, type CommandLens } from "../workbench-text.js";

/** Scripts and configurations that may start an engine. */
const FILES = "**/{*.sh,*.bash,*.zsh,*.yaml,*.yml,*.dockerfile,Dockerfile*,Makefile}";
const MOST_CHARACTERS = 1_000_000;

interface Parts {
  /** The bundled `cli.js`. */
  readonly cliPath: string;
  /** Folders of artifacts, the newest first, and when they change. */
  readonly artifacts: { runs(): Promise<readonly ArtifactRun[]>; readonly onDidChangeTreeData: Event<void> };
  readonly notifier: Notifier;
}

interface Advice {
  readonly title: string;
  readonly advice: string;
}

/**
 * Above the options of engines in scripts and YAML: what the findings of the newest run advise about them. A click
 * opens that run; nothing is changed.
 */
export function flagLenses({ cliPath, artifacts, notifier }: Parts): Disposable {
  let known:
    { readonly file: string; readonly modified: number; readonly advice: Promise<readonly Advice[]> } | undefined;
  const adviceOf = async () => {
    const [run] = newestRuns(await artifacts.runs());
    const file = run?.files[0]?.path;
    if (run === undefined || file === undefined) return undefined;
    const { modified } = run;
    if (known?.file !== file || known.modified !== modified)
      known = { file, modified, advice: findingsOf(cliPath, file) };
    return { name: run.name, file, advice: await known.advice };
  };
  return commandLenses(
    { scheme: "file", pattern: FILES },
    async (document) => {
      const text = document.getText();
      const lines = text.length > MOST_CHARACTERS ? [] : optionLines(text);
      const found =
        lines.length === 0
          ? undefined
          : await adviceOf().catch((error: unknown) => {
              notifier.log.debug(`advice about options: ${String(error)}`);
              return undefined;
            });
      if (found === undefined) return [];
      return found.advice.flatMap(({ title, advice }) => {
        const sentences = advice.split(/(?<=[.!?]) /).map((text) => ({ text, options: optionsIn(text) }));
        return lines.flatMap(({ line, option }): CommandLens[] => {
          const sentence = sentences.find(({ options }) => options.has(option));
          if (sentence === undefined) return [];
          const lens = { line, icon: "lightbulb", command: "vscode.open", argument: Uri.file(found.file) } as const;
          return [
            { ...lens, title: `${title.replace(/\.$/, "")}: ${sentence.text}`, tooltip: `${found.name}: ${advice}` },
          ];
        });
      });
    },
    artifacts.onDidChangeTreeData,
  );
}

/** @throws UserError */
async function findingsOf(cliPath: string, file: string): Promise<readonly Advice[]> {
  const read = parseJson(await commandLine(cliPath, ["insights", "--json", "--", file]));
  const findings: unknown = isFields(read) ? read["findings"] : [];
  return Array.isArray(findings) ? findings.filter(isAdvice) : [];
}

/** It was written by a command line of the same version. */
function isAdvice(value: unknown): value is Advice {
  return isFields(value) && "title" in value && "advice" in value;
}
