import { randomInt } from "node:crypto";
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from "node:net";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";

/** A real server on a free port of this machine; `close` ends its connections too. */
export interface TestServer {
  readonly port: number;
  /** http://127.0.0.1:port */
  readonly origin: string;
  /** Requests so far, as "METHOD /path". */
  readonly requests: readonly string[];
  /** Connections accepted so far. */
  readonly connections: () => number;
  close(): Promise<void>;
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Serves with `handler`; it may be exchanged while the server runs. */
export async function serve(handler: Handler, options: { readonly port?: number } = {}): Promise<TestServer> {
  const requests: string[] = [];
  const listener: RequestListener = (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    handler(request, response);
  };
  return listen(createHttpServer({ keepAliveTimeout: 60_000 }, listener), requests, options.port);
}

/** Serves bytes: what an HTTP library would not let out. `answer` is called once per request head. */
export async function serveRaw(answer: (socket: Socket, head: string) => void): Promise<TestServer> {
  const requests: string[] = [];
  const server = createTcpServer((socket) => {
    let head = "";
    socket.on("error", () => socket.destroy());
    socket.on("data", (data) => {
      head += data.toString("latin1");
      for (let end = head.indexOf("\r\n\r\n"); end >= 0; end = head.indexOf("\r\n\r\n")) {
        const one = head.slice(0, end);
        head = head.slice(end + 4);
        requests.push(one.split(" ", 2).join(" "));
        answer(socket, one);
      }
    });
  });
  return listen(server, requests);
}

async function listen(server: Server, requests: readonly string[], port = 0): Promise<TestServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on("connection", (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    origin: `http://127.0.0.1:${address.port}`,
    requests,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** A port of this machine at which nothing listens, and that no other test's connection or server gets by itself. */
export async function refusedPort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = await serve(() => {}, { port }).catch(() => undefined);
    if (server === undefined) continue;
    await server.close();
    return port;
  }
}

export const TEXT_FORMAT = "text/plain; version=0.0.4; charset=utf-8";

/** A small vLLM-like exposition; another `running` is another body. */
export function exposition(running: number): string {
  return [
    "# HELP vllm:num_requests_running Number of requests in model execution batches.",
    "# TYPE vllm:num_requests_running gauge",
    `vllm:num_requests_running{engine="0",model_name="m"} ${running}`,
    "# HELP vllm:generation_tokens_total Number of generation tokens processed.",
    "# TYPE vllm:generation_tokens_total counter",
    `vllm:generation_tokens_total{engine="0",model_name="m"} ${running * 10}`,
    "",
  ].join("\n");
}

/** Healthy: the exposition changes with every request. */
export function healthy(): Handler {
  let n = 0;
  return (_request, response) => respond(response, 200, TEXT_FORMAT, exposition(++n));
}

export function respond(
  response: ServerResponse,
  status: number,
  contentType: string,
  body: string | Uint8Array,
  headers: { [name: string]: string } = {},
): void {
  response.writeHead(status, {
    ...(contentType === "" ? {} : { "content-type": contentType }),
    "content-length": Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}

/** A zstd frame (RFC 8878) of one raw block, as this Node has no encoder. */
function zstdFrame(body: Uint8Array): Buffer {
  const head = Buffer.alloc(9 + 3);
  head.writeUInt32LE(0xfd2fb528, 0);
  // A single segment whose size has four bytes.
  head[4] = 0b1010_0000;
  head.writeUInt32LE(body.length, 5);
  head.writeUIntLE((body.length << 3) | 1, 9, 3);
  return Buffer.concat([head, body]);
}

/** What can be wrong with a server, by name; each answers HEAD and GET alike unless it is about that. */
export const FAULTS = {
  /** Accepts and never answers. */
  hanging: () => () => {},
  slowBody: (delayMs: number) => (_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200, { "content-type": TEXT_FORMAT });
    response.write(exposition(1).slice(0, 60));
    const timer = setTimeout(() => response.end(exposition(1).slice(60)), delayMs);
    response.on("close", () => clearTimeout(timer));
  },
  status:
    (status: number, body = "", contentType = "text/plain") =>
    (_request: IncomingMessage, response: ServerResponse) =>
      respond(response, status, contentType, body),
  /** TensorRT-LLM: iteration statistics as JSON; with `prometheus`, the exposition under that path. */
  json: (prometheus?: Handler) => (request: IncomingMessage, response: ServerResponse) => {
    if (prometheus !== undefined && request.url?.startsWith("/prometheus/metrics") === true)
      prometheus(request, response);
    else if (request.url?.startsWith("/prometheus") === true)
      respond(response, 404, "application/json", '{"detail":"Not Found"}');
    else respond(response, 200, "application/json", '[{"iter":1,"gpuMemUsage":1}]');
  },
  html: () => (_request: IncomingMessage, response: ServerResponse) =>
    respond(
      response,
      200,
      "text/html; charset=utf-8",
      "<!doctype html>\n<html><body>Welcome to nginx!</body></html>\n",
    ),
  empty: () => (_request: IncomingMessage, response: ServerResponse) => respond(response, 200, TEXT_FORMAT, ""),
  garbage: () => (_request: IncomingMessage, response: ServerResponse) =>
    respond(
      response,
      200,
      TEXT_FORMAT,
      Uint8Array.from({ length: 4096 }, (_, i) => (i * 7919) % 251),
    ),
  compressed: (encoding: "gzip" | "deflate" | "raw-deflate" | "br" | "zstd") => {
    let n = 0;
    return (_request: IncomingMessage, response: ServerResponse) => {
      const body = Buffer.from(exposition(++n));
      const pack = {
        gzip: gzipSync,
        deflate: deflateSync,
        "raw-deflate": deflateRawSync,
        br: brotliCompressSync,
        zstd: zstdFrame,
      };
      const packed = pack[encoding](body);
      respond(response, 200, TEXT_FORMAT, packed, {
        "content-encoding": encoding === "raw-deflate" ? "deflate" : encoding,
      });
    };
  },
  /** Promises `Content-Length` and closes half-way. */
  halfBody: () => (_request: IncomingMessage, response: ServerResponse) => {
    const body = exposition(1);
    response.writeHead(200, { "content-type": TEXT_FORMAT, "content-length": body.length });
    response.write(body.slice(0, body.length / 2), () => response.socket?.end());
  },
  /** Promises fewer bytes than it sends. */
  shortLength: (length: number) => (_request: IncomingMessage, response: ServerResponse) => {
    const head = `HTTP/1.1 200 OK\r\ncontent-type: ${TEXT_FORMAT}\r\ncontent-length: ${length}\r\n\r\n`;
    response.socket?.write(head + "a_gauge 1\n".repeat(12_346));
  },
  /** Chunked, closed before the last chunk. */
  halfChunked: () => (_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200, { "content-type": TEXT_FORMAT });
    response.write(exposition(1).slice(0, 100), () => response.socket?.end());
  },
  resetMidBody: () => (_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200, { "content-type": TEXT_FORMAT, "content-length": 10_000 });
    response.write(exposition(1), () => response.socket?.resetAndDestroy());
  },
  huge: (bytes: number) => (_request: IncomingMessage, response: ServerResponse) => {
    const line = "a_gauge 1\n";
    respond(response, 200, TEXT_FORMAT, line.repeat(Math.ceil(bytes / line.length)));
  },
  /** Never ends, and never says how long it is. */
  endless:
    (part = "a_gauge 1\n") =>
    (_request: IncomingMessage, response: ServerResponse) => {
      response.writeHead(200, { "content-type": TEXT_FORMAT });
      const line = part.repeat(1000);
      const more = () => {
        while (!response.destroyed && response.write(line));
      };
      response.on("drain", more);
      more();
    },
  redirect:
    (location: string, status = 307) =>
    (_request: IncomingMessage, response: ServerResponse) =>
      respond(response, status, "", "", { location }),
} as const;
