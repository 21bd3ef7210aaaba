import { UserError } from "../../core/text/user-error.js";
import type { ChannelClient, RunEvents, RunRequests } from "../../protocol/index.js";

/**
 * Whatever answers for the run a view shows: an engine with a capture or a rebuilt run, or an opened file. Typed arrays
 * pass through as they are.
 */
export type RunSource = Pick<ChannelClient<RunRequests, RunEvents>, "call" | "on">;

/** A run that is no more: every request is refused with the reason. */
export function endedSource(message: string, remedy: string): RunSource {
  return {
    call: () => Promise.reject(new UserError(message, remedy, { code: "run-gone" })),
    on: () => () => {},
  };
}
