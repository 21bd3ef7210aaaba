/* node:worker_threads in a worker of a browser: its end of the pipe. */

type Listener = (data: unknown) => void;

const listening = new Map<Listener, (event: { readonly data: unknown }) => void>();

export const parentPort = {
  postMessage: (message: unknown, transfer: readonly ArrayBuffer[] = []) => self.postMessage(message, transfer),
  on(_event: "message", listener: Listener) {
    const heard = (event: { readonly data: unknown }) => listener(event.data);
    listening.set(listener, heard);
    self.addEventListener("message", heard);
  },
  off(_event: "message", listener: Listener) {
    const heard = listening.get(listener);
    if (heard !== undefined) self.removeEventListener("message", heard);
  },
};
