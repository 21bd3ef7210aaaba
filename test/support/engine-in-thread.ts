import { Engine } from "../../src/engine/engine.js";
import { ChannelClient, type EngineEvents, type EngineRequests, type Message, type Port } from "../../src/protocol/index.js";

/** An engine of its own in this thread, behind a channel that copies as one between threads does. */
export function engineInThread(): ChannelClient<EngineRequests, EngineEvents> {
  const listeners: [Set<(message: Message) => void>, Set<(message: Message) => void>] = [new Set(), new Set()];
  const port = (own: 0 | 1): Port => ({
    post: (message) => queueMicrotask(() => listeners[own === 0 ? 1 : 0].forEach((listener) => listener(structuredClone(message)))),
    listen: (listener) => {
      listeners[own].add(listener);
      return () => listeners[own].delete(listener);
    },
  });
  const held = new Engine(port(1));
  return new (class extends ChannelClient<EngineRequests, EngineEvents> {
    override dispose(): void {
      super.dispose();
      void held.dispose();
    }
  })(port(0));
}
