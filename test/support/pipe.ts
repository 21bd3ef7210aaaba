import type { Message, Port } from "../../src/protocol/index.js";

/** Two ends of a pipe in this thread, with the messages of a real one: copied, and delivered later (`deliver`). */
export function pipe(deliver: (task: () => void) => unknown = queueMicrotask): readonly [Port, Port] {
  const listeners: [Set<(message: Message) => void>, Set<(message: Message) => void>] = [new Set(), new Set()];
  const end = (own: 0 | 1): Port => ({
    post: (message) => {
      const copy = structuredClone(message);
      deliver(() => listeners[own === 0 ? 1 : 0].forEach((listener) => listener(copy)));
    },
    listen: (listener) => {
      listeners[own].add(listener);
      return () => listeners[own].delete(listener);
    },
  });
  return [end(0), end(1)];
}
