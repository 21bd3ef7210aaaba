import { afterEach } from "vitest";
import { healthy, serve, type Handler, type TestServer } from "./faulty-server.js";

/** Servers and whatever else the tests of a file open: closed after each test, the last first. */
export function closedAfterEach() {
  const open: { close(): unknown }[] = [];
  afterEach(async () => {
    for (const each of open.splice(0).reverse()) await each.close();
  });
  async function server(handler: Handler = healthy(), port?: number): Promise<TestServer> {
    const started = await serve(handler, port === undefined ? {} : { port });
    open.push(started);
    return started;
  }
  return { open, server };
}
