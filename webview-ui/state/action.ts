import { useSignal, type ReadonlySignal } from "@preact/signals";
import { describeError, type Problem } from "../../src/protocol/index.js";

/** Runs what a button starts and keeps the words of its failure beside it. */
export interface RunningAction {
  start(work: Promise<unknown>): void;
  readonly problem: ReadonlySignal<Problem | undefined>;
}

export function useAction(): RunningAction {
  const problem = useSignal<Problem | undefined>(undefined);
  return {
    problem,
    start(work) {
      problem.value = undefined;
      work.catch((error: unknown) => {
        const described = describeError(error);
        if (described.code === "cancelled") return;
        problem.value = { severity: "error", reason: described.message, remedy: described.remedy };
      });
    },
  };
}
