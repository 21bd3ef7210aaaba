import { Engine } from "../../src/engine/engine.js";
import { ChannelClient, type EngineEvents, type EngineRequests } from "../../src/protocol/index.js";
import { pipe } from "./pipe.js";

/** An engine of its own in this thread, behind a channel that copies as one between threads does. */
export function engineInThread(): ChannelClient<EngineRequests, EngineEvents> {
  const [view, own] = pipe();
  const engine = new Engine(own);
  return new (class extends ChannelClient<EngineRequests, EngineEvents> {
    override dispose(): void {
      super.dispose();
      void engine.dispose();
    }
  })(view);
}
