import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An answer that was sent whole: the value of its counter, and when. */
export interface Served {
  readonly value: number;
  /** Milliseconds since the epoch, when the last byte was handed over. */
  readonly time: number;
}

export interface LoggedServer {
  readonly url: string;
  /** Answers of success so far, in order. */
  readonly served: readonly Served[];
  close(): void;
}

const FAULTS: readonly ((response: ServerResponse, body: string) => void)[] = [
  (response) => response.writeHead(503, { "retry-after": "1" }).end("busy"),
  (response) => response.writeHead(200, { "content-type": "text/plain" }).end("<html>no metrics</html>"),
  (response, body) => {
    response.writeHead(200, { "content-type": "text/plain", "content-length": body.length });
    response.write(body.slice(0, body.length / 2), () => response.socket?.resetAndDestroy());
  },
  (response) => void response.socket?.destroy(),
  // Hangs until the client gives up.
  () => undefined,
  (response) => response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" }).end("no gzip"),
  (response) => response.writeHead(401).end(),
  (response) => response.writeHead(403, { "content-type": "text/html" }).end("<html>no</html>"),
  (response) => response.writeHead(404).end(),
  (response) => response.writeHead(429, { "retry-after": "1" }).end(),
  (response) => response.writeHead(302, { location: response.req.url }).end(),
  // A length below what is sent, and one above it.
  (response, body) => void response.socket?.end(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length - 7}\r\n\r\n${body}`),
  (response, body) => void response.socket?.end(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length + 7}\r\n\r\n${body}`),
  // A trickle, until the client gives up.
  (response) => {
    response.writeHead(200, { "content-type": "text/plain" });
    const timer = setInterval(() => response.write("#"), 100);
    response.once("close", () => clearInterval(timer));
  },
];

/**
 * Servers that log what they serve: each answer has a counter of its own value, so that a recorded scrape can be found
 * in the log.
 * @param faultShare how many of the answers are one of the faults, by chance
 */
export async function startServers(count: number, faultShare: number, random: () => number): Promise<LoggedServer[]> {
  return Promise.all(Array.from({ length: count }, () => startServer(faultShare, random)));
}

async function startServer(faultShare: number, random: () => number): Promise<LoggedServer> {
  const served: Served[] = [];
  let value = 0;
  const server: Server = createServer((request: IncomingMessage, response) => {
    if (request.method === "HEAD") return void response.writeHead(200).end();
    const next = value + 1;
    const body = expositionOf(next);
    // The first answers tell the test of the endpoint that there are metrics.
    if (value > 2 && random() < faultShare) return FAULTS[Math.floor(random() * FAULTS.length)]?.(response, body);
    value = next;
    response.writeHead(200, { "content-type": "text/plain; version=0.0.4", "content-length": body.length });
    response.end(body, () => served.push({ value: next, time: Date.now() }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`,
    served,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function expositionOf(value: number): string {
  const buckets = [0.1, 0.5, 1, 5].map((le, i) => `wait_seconds_bucket{le="${le}"} ${value * (i + 1)}\n`).join("");
  const gauges = Array.from({ length: 20 }, (_, i) => `load{core="${i}"} ${(value * 7919 + i) % 1000}\n`).join("");
  return (
    `# TYPE served counter\nserved_total ${value}\n# TYPE load gauge\n${gauges}# TYPE wait_seconds histogram\n${buckets}` +
    `wait_seconds_bucket{le="+Inf"} ${value * 5}\nwait_seconds_sum ${value * 2}\nwait_seconds_count ${value * 5}\n`
  );
}
