import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import { LEAD_SECONDS, simulate, type DemoOptions } from "./options.js";
import { Page } from "./page.js";
import { PROFILES } from "./profiles/index.js";

export interface DemoServerOptions extends DemoOptions {
  /** 0 takes any free one. */
  readonly port: number;
  /** Default: this machine only. */
  readonly host?: string;
}

export interface DemoServer {
  /** The address that a user of the simulated server would configure: that of `/metrics`. */
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Longest stretch caught up with at once, in seconds: while no one looks for longer, the simulation stands still. */
const LONGEST_CATCH_UP = 60;

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/**
 * Serves a simulated inference server in real time. Nothing runs between scrapes: each one lets the simulation catch up
 * with the clock.
 * @throws RangeError for options that no server can have; Error with `code` "EADDRINUSE" or "EACCES" when it cannot
 *   listen
 */
export async function startDemoServer(options: DemoServerOptions): Promise<DemoServer> {
  const { port, host = "127.0.0.1" } = options;
  const { profile, simulation } = simulate(options);
  const { expose, path, json, describe } = PROFILES[profile];
  let process = { simulation, exporter: expose(simulation, Date.now() / 1000 - LEAD_SECONDS) };
  simulation.advanceTo(LEAD_SECONDS);
  const page = new Page(options);
  const begun = performance.now();
  let caughtUp = begun;
  let restartAfterMs = (options.restartAfterSeconds ?? Infinity) * 1000;

  const catchUp = () => {
    const now = performance.now();
    if (now - begun >= restartAfterMs) {
      restartAfterMs = Infinity;
      const anew = simulate(options).simulation;
      process = { simulation: anew, exporter: expose(anew, Date.now() / 1000) };
      caughtUp = now;
    }
    const { simulation } = process;
    simulation.advanceTo(simulation.now + Math.min((now - caughtUp) / 1000, LONGEST_CATCH_UP));
    caughtUp = now;
  };
  // One at a time: an exposition is gathered in several turns of the event loop and must show one moment.
  let turn: Promise<unknown> = Promise.resolve();
  const caughtUpWith = <T>(look: () => T | Promise<T>): Promise<T> => {
    const mine = turn.then(() => {
      catchUp();
      return look();
    });
    turn = mine.catch(() => undefined);
    return mine;
  };
  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const text = (status: number, body: string): Answer => ({ status, contentType: "text/plain; charset=utf-8", body });
    if (request.method !== "GET" && request.method !== "HEAD") return text(405, "Only GET and HEAD.\n");
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/health") return text(200, "");
    if (pathname === path) {
      const seconds = (performance.now() - begun) / 1000;
      const body = await caughtUpWith(() => page.answer(seconds, () => process.exporter.exposition()));
      if (body === undefined) return text(503, "The simulated server does not answer at the moment.\n");
      return { status: 200, contentType: process.exporter.registry.contentType, body };
    }
    if (pathname === "/metrics" && json !== undefined)
      return { status: 200, contentType: "application/json", body: await caughtUpWith(() => json(process.simulation)) };
    const said = describe?.(process.simulation)[pathname];
    if (said !== undefined) return { status: 200, contentType: "application/json", body: JSON.stringify(said) };
    return text(404, `Nothing here; the metrics are at ${path}.\n`);
  };

  const server = createServer((request, response) => {
    answer(request).then(
      (found) => send(response, found, request.method === "HEAD"),
      (error: unknown) => response.destroy(error instanceof Error ? error : new Error(String(error))),
    );
  });
  const listening = await listen(server, port, host);
  const name = host.includes(":") ? `[${host}]` : host;
  return {
    url: `http://${name}:${listening}/metrics`,
    port: listening,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, { status, contentType, body }: Answer, headOnly: boolean): void {
  response.writeHead(status, { "content-type": contentType, "content-length": Buffer.byteLength(body) });
  response.end(headOnly ? undefined : body);
}

/** Settles with the port. */
function listen(server: ReturnType<typeof createServer>, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}
