import { describe, expect, it } from "vitest";
import type { Problem } from "../../../../src/protocol/index.js";
import { notesOf, urgentProblems } from "../../../../webview-ui/header/notes.js";
import { endpointStatus } from "../../../support/run-header.js";

const note = (reason: string): Problem => ({ severity: "info", reason });
const endpoint = (displayName: string, problems: readonly Problem[]) =>
  endpointStatus(`http://${displayName}/metrics`, { problems });

describe("notes", () => {
  it("are distinguished from what a user has to see at once", () => {
    const problems: Problem[] = [
      note("left out"),
      { severity: "warning", reason: "slow" },
      { severity: "error", reason: "gone" },
    ];
    expect(urgentProblems(problems).map(({ reason }) => reason)).toEqual(["slow", "gone"]);
    expect(notesOf({ problems, endpoints: [] }).map(({ reason }) => reason)).toEqual(["left out"]);
  });

  it("are said once, with the endpoints that have them", () => {
    const notes = notesOf({
      problems: [note("of the run")],
      endpoints: [
        endpoint("a:1", [note("of the run"), note("of both")]),
        endpoint("b:1", [note("of both"), { ...note("of one"), remedy: "Do this." }]),
      ],
    });
    expect(notes).toEqual([
      { reason: "of the run", endpoints: [] },
      { reason: "of both", endpoints: ["a:1", "b:1"] },
      { reason: "of one", remedy: "Do this.", endpoints: ["b:1"] },
    ]);
  });

  it("name no endpoint where there is but one", () => {
    expect(notesOf({ problems: [], endpoints: [endpoint("a:1", [note("n")])] })).toEqual([
      { reason: "n", endpoints: [] },
    ]);
  });
});
