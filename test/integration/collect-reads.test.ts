import { ByteBuffer } from "../../src/core/bytes/index.js";
import type { Socket } from "node:net";
import { expect, it } from "vitest";
import { Fetcher } from "../../src/collect/http/http.js";
import { MonotonicClock } from "../../src/collect/index.js";
import { serveRaw } from "../support/faulty-server.js";
import { closedAfterEach } from "../support/servers.js";

const { open } = closedAfterEach();

const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: 24\r\n\r\n";
const BODY = "a_metric 1\nb_metric 345\n";
const LARGE = "another_metric 1234567890\n".repeat(4000);

function fetcher(origin: string) {
  const url = `${origin}/metrics`;
  const one = new Fetcher(new MonotonicClock(), { url, headers: {} });
  open.push(one);
  return async () => {
    const request = { method: "GET", url, into: new ByteBuffer(), limitBytes: 1e7, timeoutMs: 10_000 } as const;
    const { outcome } = await one.fetch(request);
    return outcome.kind === "body"
      ? { contentType: outcome.contentType, body: new TextDecoder().decode(outcome.body) }
      : outcome;
  };
}

/** A server of pieces: the next one is written when `next` is called. */
async function inPieces() {
  let socket: Socket | undefined;
  let asked = () => {};
  const server = await serveRaw((from) => {
    socket = from.setNoDelay(true);
    asked();
  });
  open.push(server);
  return {
    fetch: fetcher(server.origin),
    request: () => new Promise<void>((resolve) => (asked = resolve)),
    write: (text: string) => new Promise((resolve) => socket?.write(text, resolve)),
  };
}

it("an answer in pieces arrives whole while other connections receive theirs", async () => {
  const server = await inPieces();
  const other = await serveRaw((socket) =>
    socket.write(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${LARGE.length}\r\n\r\n${LARGE}`),
  );
  open.push(other);
  const fetchOther = fetcher(other.origin);
  const whole = HEAD + BODY;
  for (let cut = 1; cut < whole.length; cut++) {
    const asked = server.request();
    const answer = server.fetch();
    await asked;
    await server.write(whole.slice(0, cut));
    // What comes here overwrites what was received before.
    expect(await fetchOther()).toEqual({ contentType: "text/html", body: LARGE });
    await server.write(whole.slice(cut));
    expect(await answer, `cut at ${cut}`).toEqual({ contentType: "text/plain; version=0.0.4", body: BODY });
  }
});

it("an answer after an interim one arrives whole when its head is cut", async () => {
  const server = await inPieces();
  const other = await serveRaw((socket) =>
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${LARGE.length}\r\n\r\n${LARGE}`),
  );
  open.push(other);
  const asked = server.request();
  const answer = server.fetch();
  await asked;
  await server.write(`HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n${HEAD.slice(0, 30)}`);
  await fetcher(other.origin)();
  await server.write(HEAD.slice(30) + BODY);
  expect(await answer).toEqual({ contentType: "text/plain; version=0.0.4", body: BODY });
});

it("a head after the rest of an interim one that looks like a head arrives whole", async () => {
  const server = await inPieces();
  const other = await serveRaw((socket) =>
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${LARGE.length}\r\n\r\n${LARGE}`),
  );
  open.push(other);
  const fetchOther = fetcher(other.origin);
  const asked = server.request();
  const answer = server.fetch();
  await asked;
  await server.write("HTTP/1.1 103 Early Hints\r\nX-Hint: ");
  await fetchOther();
  await server.write(`HTTP/1.1 2\r\n\r\n${HEAD.slice(0, 40)}`);
  await fetchOther();
  await server.write(HEAD.slice(40) + BODY);
  expect(await answer).toEqual({ contentType: "text/plain; version=0.0.4", body: BODY });
});
