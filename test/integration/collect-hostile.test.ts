import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { Fetcher } from "../../src/collect/http/http.js";
import { MonotonicClock, probeEndpoints } from "../../src/collect/index.js";
import { ServerClient } from "../../src/collect/http/server-client.js";
import { TextSource } from "../../src/collect/text-source.js";
import { DEFAULT_LIMITS } from "../../src/core/model/index.js";
import { ByteBuffer } from "../../src/core/bytes/index.js";
import { serveRaw } from "../support/faulty-server.js";
import { closedAfterEach } from "../support/servers.js";

const { open } = closedAfterEach();

const BODY = "a_metric 1\n";

function answer(status: string, headers: readonly string[], body = ""): string {
  return [`HTTP/1.1 ${status}`, ...headers, `Content-Length: ${body.length}`, "", body].join("\r\n");
}

async function server(text: string | (() => string)): Promise<string> {
  const started = await serveRaw((socket) => void socket.write(typeof text === "string" ? text : text()));
  open.push(started);
  return started.origin;
}

function fetcher(origin: string, headers = {}) {
  const url = `${origin}/metrics`;
  const one = new Fetcher(new MonotonicClock(), { url, headers });
  open.push(one);
  const fetch = (into = new ByteBuffer()) =>
    one.fetch({ method: "GET", url, into, limitBytes: 1e7, timeoutMs: 20_000 }).then(({ outcome }) => outcome);
  return { one, fetch };
}

/** Calls back a turn of the event loop after a complete body was looked at for the first time. */
class WatchedBuffer extends ByteBuffer {
  private seen = false;

  constructor(private readonly then: () => void) {
    super();
  }

  override get view(): Uint8Array {
    if (!this.seen && this.length === BODY.length) {
      this.seen = true;
      setImmediate(this.then);
    }
    return super.view;
  }
}

describe("a complete answer that is still being looked at", () => {
  it("is not delivered when its endpoint is removed meanwhile", async () => {
    const { one, fetch } = fetcher(await server(answer("200 OK", ["Content-Type: text/plain"], BODY)));
    expect(await fetch(new WatchedBuffer(() => one.close()))).toEqual({ kind: "cancelled" });
  });

  it("is a gap with a reason when its time is up meanwhile", async () => {
    const { one, fetch } = fetcher(await server(answer("200 OK", ["Content-Type: text/plain"], BODY)));
    const late = new WatchedBuffer(() => {
      one.giveUp();
      one.close();
    });
    expect(await fetch(late)).toMatchObject({ kind: "failed", failure: { type: "timeout" } });
  });
});

/** Calls back once a body has begun, and what was on its way with it has arrived. */
class HeardBuffer extends ByteBuffer {
  constructor(private readonly then: () => void) {
    super();
  }

  override append(chunk: Uint8Array): void {
    super.append(chunk);
    queueMicrotask(this.then);
  }
}

describe("a redirect that is about to be followed", () => {
  const REDIRECT = answer("302 Found", ["Location: /elsewhere"], "See there.");

  it("is not, when its endpoint is removed meanwhile", async () => {
    const { one, fetch } = fetcher(await server(REDIRECT));
    expect(await fetch(new HeardBuffer(() => one.close()))).toEqual({ kind: "cancelled" });
  });

  it("is a gap with a reason when its time is up meanwhile", async () => {
    const { one, fetch } = fetcher(await server(REDIRECT));
    const late = new HeardBuffer(() => {
      one.giveUp();
      one.close();
    });
    const reason = expect.stringMatching(/began to answer \/metrics but did not finish/) as string;
    expect(await fetch(late)).toMatchObject({ kind: "failed", failure: { type: "timeout", reason } });
  });
});

it.each([
  ["and nothing else", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n"],
  ["and as much", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nup 1\n"],
])("HTTP 204 with a length %s is an empty answer, each time", async (_, text) => {
  const { fetch } = fetcher(await server(text));
  for (let i = 0; i < 3; i++) expect(await fetch()).toMatchObject({ kind: "body", body: new Uint8Array(0) });
});

it("a redirect to another server is not followed, and its failure names that server", async () => {
  const seen: unknown[] = [];
  const place = createServer((socket: Socket) => void seen.push(socket.destroy()));
  await once(place.listen(0, "127.0.0.1"), "listening");
  open.push(place);
  const elsewhere = `http://127.0.0.1:${(place.address() as AddressInfo).port}`;
  for (const location of [`${elsewhere}/metrics`, elsewhere.replace("http:", ""), `http://a@${elsewhere.slice(7)}/`]) {
    const { fetch } = fetcher(await server(answer("302 Found", [`Location: ${location}`])));
    expect(await fetch()).toMatchObject({
      kind: "failed",
      failure: { type: "http-status", reason: expect.stringContaining(`a redirect to ${elsewhere}, which`) as string },
    });
  }
  expect(seen).toEqual([]);
});

describe("what was sent in secret is in no message when the server repeats it", () => {
  const PASSWORD = "hunter2-of-bob";
  const basic = Buffer.from(`bob:${PASSWORD}`).toString("base64");
  const authorization = `Basic ${basic}`;
  const ANSWERS: [string, string][] = [
    ["a password, decoded", answer("401 No", [], `the password ${PASSWORD} of bob is wrong`)],
    ["in the target of a redirect", answer("302 Found", [`Location: /denied/${PASSWORD}`])],
    ["as the host of a redirect", answer("302 Found", [`Location: http://${PASSWORD}.invalid/`])],
    ["as an encoding", answer("200 OK", [`Content-Encoding: ${PASSWORD}`], BODY)],
    ["as one encoding of two", answer("200 OK", [`Content-Encoding: gzip, ${PASSWORD}`], BODY)],
    ["as a content type of JSON", answer("200 OK", [`Content-Type: application/json; by=${PASSWORD}`], "{}")],
    ["as a content type", answer("200 OK", [`Content-Type: text/${PASSWORD}`], "no metrics")],
    ["in a body, shown from where it cannot be read", answer("200 OK", [], `password=${PASSWORD}`)],
    ["in a body, cut where it is shown", answer("200 OK", [], `the=1234567890123${PASSWORD}`)],
  ];

  it.each(ANSWERS)("%s", async (_, text) => {
    const origin = await server(text);
    const access = { url: `${origin}/metrics`, headers: { Authorization: authorization } };
    const source = new TextSource({
      access,
      time: new MonotonicClock(),
      limits: DEFAULT_LIMITS,
      keepFamily: () => true,
    });
    open.push(source);
    const reading = await source.read({ timeoutMs: 20_000 });
    expect(reading?.refused).toBeDefined();
    const probed = await probeEndpoints([{ url: origin.replace("//", `//bob:${PASSWORD}@`), enabled: true }], 20_000);
    expect(probed[0]?.reachability.problem).toBeDefined();
    for (const shown of [reading, probed[0]?.reachability]) {
      const written = JSON.stringify(shown, (_key, value: unknown) => (typeof value === "bigint" ? "" : value));
      // Also no beginning of it.
      expect(written).not.toContain(PASSWORD.slice(0, 5));
      expect(written).not.toContain(basic);
    }
  });
});

it.each([
  ["the target of a redirect", answer("302 Found", [`Location: /${"x".repeat(10_000)}`])],
  ["the host of a redirect", answer("302 Found", [`Location: http://${"x".repeat(10_000)}.invalid/`])],
  ["the protocol of a redirect", answer("302 Found", [`Location: ${"x".repeat(10_000)}:y`])],
  ["a content type", answer("200 OK", [`Content-Type: application/json; ${"x".repeat(10_000)}`], "{}")],
  ["an encoding", answer("200 OK", [`Content-Encoding: ${"x".repeat(10_000)}`], BODY)],
])("%s of any length makes no long message", async (_, text) => {
  const origin = await server(text);
  const [probed] = await probeEndpoints([{ url: origin, enabled: true }], 20_000);
  expect(probed?.reachability.problem?.reason).toMatch(/x{50}…/);
  expect(probed?.reachability.problem?.reason.length).toBeLessThan(500);
});

const REMEDIES = { slow: "Ask later.", large: "Ask for less." };

it("a store whose answer is too large is no endpoint that should raise a limit of scrapes", async () => {
  const client = new ServerClient({ url: await server(answer("200 OK", [], BODY)), enabled: true });
  open.push(client);
  const request = { method: "GET", path: "/api", timeoutMs: 20_000, limitBytes: 4, remedies: REMEDIES } as const;
  expect(await client.send(request)).toMatchObject({
    kind: "failed",
    failure: { type: "too-large", remedy: REMEDIES.large },
  });
});

it("a store's error stands, however long the page that comes with it", async () => {
  const page = answer("502 Bad Gateway", ["Content-Type: text/html"], "x".repeat(2 ** 20 + 1));
  const client = new ServerClient({ url: await server(page), enabled: true });
  open.push(client);
  const result = await client.send({ method: "GET", path: "/api", timeoutMs: 20_000, remedies: REMEDIES });
  expect(result).toMatchObject({ kind: "answer", status: 502 });
  expect(result.kind === "answer" && result.body).toHaveLength(0);
});

it("a store that compresses wrongly is not said to have closed the connection", async () => {
  const client = new ServerClient({
    url: await server(answer("200 OK", ["Content-Encoding: gzip"], BODY)),
    enabled: true,
  });
  open.push(client);
  const result = await client.send({ method: "GET", path: "/api", timeoutMs: 20_000, remedies: REMEDIES });
  expect(result).toMatchObject({ kind: "failed", failure: { reason: expect.stringContaining("(gzip)") as string } });
});
