import { parentPort, type MessagePort, type Worker } from "node:worker_threads";
import type { Message, Port } from "../protocol/index.js";

/** A worker's end of that pipe. @throws Error outside of a worker thread */
export function hostPort(): Port {
  if (parentPort === null) throw new Error("this runs as a worker thread");
  return threadPort(parentPort);
}

/** One end of a pipe whose other end is another thread, or the other port of a channel. */
export function threadPort(thread: Worker | MessagePort): Port {
  return {
    post: (message, transfer) => thread.postMessage(message, transfer === undefined ? [] : [...transfer]),
    listen: (listener) => {
      const onMessage = (message: Message) => listener(message);
      thread.on("message", onMessage);
      return () => thread.off("message", onMessage);
    },
  };
}
