import { t } from "@vscode/l10n";
import type { Problem, RunHeader } from "../../src/protocol/index.js";
import { Icon } from "../components/icon.js";
import { plural } from "../../src/core/text/plural.js";

export interface HeaderNote {
  readonly reason: string;
  readonly remedy: string | undefined;
  /** Names of the endpoints that it is about; empty for the run as a whole. */
  readonly endpoints: readonly string[];
}

/** What a user has to see at once; notes are folded away. */
export function urgentProblems(problems: readonly Problem[]): readonly Problem[] {
  return problems.filter((problem) => problem.severity !== "info");
}

/**
 * The notes of the run and of its endpoints, each said once. Where the run says it too, it is about no endpoint in
 * particular.
 */
export function notesOf(header: Pick<RunHeader, "problems" | "endpoints" | "load">): HeaderNote[] {
  const notes = new Map<string, HeaderNote>();
  // What is measured has a line of its own.
  const measured = header.load === undefined ? undefined : `${header.load.text}.`;
  const add = (problem: Problem, endpoint?: string) => {
    if (problem.severity !== "info" || problem.reason === measured) return;
    const known = notes.get(problem.reason);
    if (known === undefined)
      notes.set(problem.reason, {
        reason: problem.reason,
        remedy: problem.remedy,
        endpoints: endpoint === undefined ? [] : [endpoint],
      });
    else if (endpoint !== undefined && known.endpoints.length > 0)
      notes.set(problem.reason, { ...known, endpoints: [...known.endpoints, endpoint] });
  };
  for (const problem of header.problems) add(problem);
  for (const { label, displayName, problems } of header.endpoints)
    for (const problem of problems) add(problem, label ?? displayName);
  // With one endpoint there is nothing to tell apart.
  return [...notes.values()].map((note) => (header.endpoints.length > 1 ? note : { ...note, endpoints: [] }));
}

/** One quiet line that opens: nothing here needs doing. */
export function Notes({ notes }: { readonly notes: readonly HeaderNote[] }) {
  if (notes.length === 0) return null;
  return (
    <details class="fold notes">
      <summary>
        <Icon name="info" /> {plural(notes.length, t("note"), t("notes"))}
      </summary>
      <ul class="note-list">
        {notes.map((note) => (
          <li key={note.reason}>
            {note.reason}
            {note.remedy !== undefined && <span class="muted"> {note.remedy}</span>}
            {note.endpoints.length > 0 && <span class="muted">{` (${note.endpoints.join(", ")})`}</span>}
          </li>
        ))}
      </ul>
    </details>
  );
}
