import { AGENT_TOOLS } from "../../agents/index.js";
import { TOOL_PREFIX } from "../command-ids.js";
import { commandContributions } from "./commands.js";
import { settingContributions } from "./settings.js";

/** What `npm run manifest` writes below `contributes` of package.json; the rest is written there by hand. */
export function generatedContributions(): Readonly<Record<string, unknown>> {
  return {
    ...commandContributions(),
    configuration: settingContributions(),
    languageModelTools: AGENT_TOOLS.map((tool) => ({
      name: TOOL_PREFIX + tool.name,
      toolReferenceName: `serverMetrics_${tool.name}`.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
      displayName: tool.title,
      modelDescription: tool.description,
      userDescription: tool.description.replace(/(?<=\.) [A-Z].*/s, ""),
      canBeReferencedInPrompt: true,
      icon: tool.name.endsWith("_capture") ? "$(record)" : "$(graph-line)",
      tags: ["server-metrics", "benchmark"],
      inputSchema: tool.inputSchema,
    })),
  };
}
