import type { RunSource } from "../../src/extension/view/bridge.js";
import { RUN_REQUESTS, type Handlers, type RunRequests } from "../../src/protocol/index.js";

const refuse = () => Promise.reject(new Error("not asked here"));

/** Handlers of a run that refuse every request. */
export function refusing(): Handlers<RunRequests> {
  return Object.fromEntries(
    Object.keys(RUN_REQUESTS).map((name) => [name, refuse]),
  ) as unknown as Handlers<RunRequests>;
}

/** A source that answers some requests, and refuses the others. */
export function sourceOf(
  handlers: Partial<Handlers<RunRequests>>,
  on: RunSource["on"] = () => () => undefined,
): RunSource {
  const all = { ...refusing(), ...handlers } as Record<string, (...given: unknown[]) => unknown>;
  return {
    call: async (name, ...given) => await all[name]!(...given),
    on,
  };
}
