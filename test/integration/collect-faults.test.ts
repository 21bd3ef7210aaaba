import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { CollectOptions } from "../../src/collect/index.js";
import { captures, target } from "../support/collecting.js";
import {
  exposition,
  FAULTS,
  healthy,
  refusedPort,
  respond,
  TEXT_FORMAT,
  type Handler,
} from "../support/faulty-server.js";

const { raw, server, capture, firstScrape } = captures();

describe("a transient failure is a recorded gap with its reason and remedy, and the endpoint is tried again", () => {
  const cases: {
    name: string;
    handler: Handler;
    options?: Partial<CollectOptions>;
    type: string | RegExp;
    reason: RegExp;
    remedy: RegExp;
  }[] = [
    {
      name: "hanging",
      handler: FAULTS.hanging(),
      options: { scrapeTimeoutMs: 200 },
      type: "timeout",
      reason: /accepted the connection but did not answer \/metrics within 0\.2 s/,
      remedy: /scrape timeout/,
    },
    {
      name: "slow body",
      handler: FAULTS.slowBody(5000),
      options: { scrapeTimeoutMs: 200 },
      type: "timeout",
      reason: /began to answer .* did not finish within 0\.2 s \(60 bytes received\)/,
      remedy: /slow/,
    },
    {
      name: "HTTP 500",
      handler: FAULTS.status(500, "CUDA out of memory"),
      type: "http-status",
      reason: /HTTP 500 \("CUDA out of memory"\)/,
      remedy: /its own log/,
    },
    {
      name: "HTTP 503",
      handler: FAULTS.status(503, '{"detail":"model is loading"}', "application/json"),
      type: "http-status",
      reason: /HTTP 503 .*model is loading/,
      remedy: /not ready/,
    },
    {
      name: "HTTP 401",
      handler: FAULTS.status(401),
      type: "http-status",
      reason: /HTTP 401\.$/,
      remedy: /Authorization: Bearer/,
    },
    {
      name: "HTTP 403",
      handler: FAULTS.status(403),
      type: "http-status",
      reason: /HTTP 403\.$/,
      remedy: /Authorization: Bearer/,
    },
    {
      name: "HTTP 429 with Retry-After",
      handler: (_, response) => respond(response, 429, "text/plain", "slow down", { "retry-after": "3600" }),
      type: "http-status",
      reason: /HTTP 429 \("slow down"\)/,
      remedy: /raise the collection interval/,
    },
    {
      name: "a trickle",
      handler: (_, response) => {
        response.writeHead(200, { "content-type": TEXT_FORMAT });
        const timer = setInterval(() => response.write("# one byte after the other\n".slice(0, 1)), 20);
        response.on("close", () => clearInterval(timer));
      },
      options: { scrapeTimeoutMs: 200 },
      type: "timeout",
      reason: /did not finish within 0\.2 s/,
      remedy: /slow/,
    },
    {
      name: "a gzip bomb",
      handler: (_, response) =>
        respond(response, 200, TEXT_FORMAT, gzipSync(Buffer.alloc(20_000_000)), { "content-encoding": "gzip" }),
      type: "too-large",
      reason: /more than the 1 MiB/,
      remedy: /bodyLimit/,
    },
    {
      name: "HTTP 404",
      handler: FAULTS.status(404, "<h1>no</h1>", "text/html"),
      type: "http-status",
      reason: /HTTP 404\.$/,
      remedy: /--enable-metrics/,
    },
    {
      name: "an endless error page",
      handler: (_, response) => void response.writeHead(502).write("x".repeat(10_000)),
      type: "http-status",
      reason: /HTTP 502 \("x+…"\)/,
      remedy: /proxy/,
    },
    {
      name: "empty body",
      handler: FAULTS.empty(),
      type: "not-prometheus",
      reason: /answered with an empty body/,
      remedy: /metrics are enabled/,
    },
    {
      name: "half a body (Content-Length)",
      handler: FAULTS.halfBody(),
      type: "truncated",
      reason: /in the middle of its answer \(after \d+ bytes\): an incomplete body is not used/,
      remedy: /cut the answer short/,
    },
    {
      name: "half a body (chunked)",
      handler: FAULTS.halfChunked(),
      type: "truncated",
      reason: /in the middle of its answer \(after 100 bytes\)/,
      remedy: /cut the answer short/,
    },
    {
      name: "a Content-Length below what is sent",
      handler: FAULTS.shortLength(123),
      type: "truncated",
      reason: /announced a body of 123 bytes \(Content-Length\) and sent more/,
      remedy: /proxy/,
    },
    {
      name: "a Content-Length below what is sent that ends with a line",
      handler: FAULTS.shortLength(120),
      type: "truncated",
      reason: /announced a body of 120 bytes/,
      remedy: /proxy/,
    },
    {
      name: "reset in mid-body",
      handler: FAULTS.resetMidBody(),
      type: /^(reset|truncated)$/,
      reason: /in the middle of its answer/,
      remedy: /crashed or restarted/,
    },
    {
      name: "huge body",
      handler: FAULTS.huge(2_000_000),
      type: "too-large",
      reason: /more than the 1 MiB that are accepted/,
      remedy: /raise serverMetrics\.bodyLimit/,
    },
    {
      name: "endless body",
      handler: FAULTS.endless(),
      type: "too-large",
      reason: /more than the 1 MiB/,
      remedy: /raise serverMetrics\.bodyLimit/,
    },
    {
      name: "a line without end",
      handler: FAULTS.endless('a_gauge{x="'),
      type: "too-large",
      reason: /more than the 1 MiB/,
      remedy: /raise serverMetrics\.bodyLimit/,
    },
    {
      name: "HTTP 304 that states a length, as it may",
      handler: (_, response) => void response.writeHead(304, { "content-length": "100" }).end(),
      type: "http-status",
      reason: /HTTP 304\.$/,
      remedy: /cache/,
    },
    {
      name: "an error page that breaks off",
      handler: (_, response) => {
        response.writeHead(500, { "content-type": "text/plain", "content-length": "100" });
        response.write("half of it", () => response.destroy());
      },
      type: "http-status",
      reason: /HTTP 500/,
      remedy: /failed/,
    },
    {
      name: "an interim answer that nobody asked for",
      handler: (_, response) => {
        response.writeContinue();
        respond(response, 200, TEXT_FORMAT, "a_gauge 1\n");
      },
      type: "other",
      reason: /interim answer .*HTTP 100/,
      remedy: /proxy/,
    },
    {
      name: "a transfer coding that is not supported",
      handler: (_, response) =>
        void response
          .writeHead(200, { "content-type": TEXT_FORMAT, "transfer-encoding": "compress, chunked" })
          .end("x"),
      type: "other",
      reason: /compressed its answer in a way that was not requested and is not supported \(compress\)/,
      remedy: /proxy/,
    },
    {
      name: "redirect in a circle",
      handler: FAULTS.redirect("/metrics"),
      type: "http-status",
      reason: /HTTP 307 after 5 redirects\.$/,
      remedy: /in a circle/,
    },
    {
      name: "redirect to a file",
      handler: FAULTS.redirect("file:///etc/passwd", 302),
      type: "http-status",
      reason: /HTTP 302, a redirect to file:, which is not followed\.$/,
      remedy: /http:\/\/ and https:\/\/ only/,
    },
    {
      name: "redirect to no URL",
      handler: FAULTS.redirect("http://[::bad/", 301),
      type: "http-status",
      reason: /HTTP 301, a redirect to what is no URL\.$/,
      remedy: /final URL/,
    },
    {
      name: "redirect without a target",
      handler: (_, response) => void response.writeHead(308).end(),
      type: "http-status",
      reason: /HTTP 308, a redirect without a target\.$/,
      remedy: /final URL/,
    },
  ];

  it.each(cases)("$name", async ({ handler, options, type, reason, remedy }) => {
    const { origin } = await server(handler);
    const { listener, scrape, status } = await firstScrape(`${origin}/metrics`, options);
    expect(scrape).toMatchObject({ kind: "failed", endpointUrl: `${origin}/metrics` });
    // Whether a reset is seen as one, or as a close, depends on what the kernel had delivered by then.
    expect(scrape.error?.type).toMatch(typeof type === "string" ? new RegExp(`^${type}$`) : type);
    expect(scrape.error?.message).toMatch(reason);
    expect(scrape.error?.message).toContain("127.0.0.1");
    expect(status).toMatchObject({ state: "failing", scrapes: 0 });
    expect(status.problems).toMatchObject([
      { severity: "error", reason: scrape.error?.message, remedy: expect.stringMatching(remedy) as string },
    ]);
    await listener.until(() => listener.scrapes.length > 1);
    expect(listener.notices).toEqual([]);
  });

  it("a whole body that is one line without its end is no metrics", async () => {
    const body = `a_gauge{x="${"y".repeat(900_000)}`;
    const { origin } = await server((_, response) => respond(response, 200, TEXT_FORMAT, body));
    const { scrape, status } = await firstScrape(`${origin}/metrics`);
    expect(scrape.error?.type).toBe("parse");
    expect(scrape.error?.message).toMatch(/is not/);
    expect(status).toMatchObject({ state: "failing", scrapes: 0 });
  });

  it("connection refused", async () => {
    const port = await refusedPort();
    const { listener, scrape, status } = await firstScrape(`http://127.0.0.1:${port}/metrics`);
    expect(scrape.error).toEqual({
      type: "refused",
      message: `Connection refused at 127.0.0.1:${port}.`,
    });
    expect(status.problems[0]?.remedy).toMatch(/Is the server running\?/);
    await listener.until(() => listener.scrapes.length > 1);
  });

  it("connection refused at a name with several addresses", async () => {
    const port = await refusedPort();
    const { scrape } = await firstScrape(`http://localhost:${port}/metrics`);
    expect(scrape.error).toEqual({
      type: "refused",
      message: `Connection refused at localhost:${port}.`,
    });
  });

  it("unknown host name", async () => {
    const { scrape } = await firstScrape("http://no-such-host.invalid/metrics", { scrapeTimeoutMs: 10_000 });
    expect(scrape.error).toMatchObject({
      type: "unreachable",
      message: "The host name no-such-host.invalid could not be resolved.",
    });
  });

  it("slow headers", async () => {
    const { origin } = await raw((socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"));
    const { scrape } = await firstScrape(`${origin}/metrics`, { scrapeTimeoutMs: 200 });
    expect(scrape.error?.message).toMatch(/began to answer \/metrics but did not finish within 0\.2 s\.$/);
  });

  it("closed without an answer", async () => {
    const { origin } = await raw((socket) => socket.end());
    const { scrape } = await firstScrape(`${origin}/metrics`);
    expect(scrape.error).toMatchObject({
      type: "reset",
      message: expect.stringMatching(/closed the connection without answering/) as string,
    });
  });

  it("half a body without a stated length", async () => {
    const cut = exposition(12).slice(0, -2);
    const { origin } = await raw((socket) =>
      socket.end(`HTTP/1.1 200 OK\r\nContent-Type: ${TEXT_FORMAT}\r\n\r\n${cut}`),
    );
    const { scrape } = await firstScrape(`${origin}/metrics`);
    expect(scrape.error).toMatchObject({
      type: "truncated",
      message: expect.stringContaining(`after ${cut.length} bytes`) as string,
    });
  });

  it("half a chunk on a connection that was to be closed", async () => {
    const { origin } = await raw((socket) =>
      socket.end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\nff\r\na_gauge 1"),
    );
    expect((await firstScrape(`${origin}/metrics`)).scrape.error?.type).toBe("truncated");
  });

  it("something that is not HTTP", async () => {
    const { origin } = await raw((socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n"));
    const { scrape, status } = await firstScrape(`${origin}/metrics`);
    expect(scrape.error).toMatchObject({ type: "other", message: expect.stringMatching(/is not HTTP/) as string });
    expect(status.problems[0]?.remedy).toMatch(/https:\/\//);
  });

  it("https spoken to a plain http server", async () => {
    const { port } = await server(healthy());
    const { scrape, status } = await firstScrape(`https://127.0.0.1:${port}/metrics`);
    expect(scrape.error).toMatchObject({
      type: "tls",
      message: expect.stringMatching(/does not use https/) as string,
    });
    expect(status.problems[0]?.remedy).toMatch(/use http:\/\//);
  });

  it("a header value that cannot be sent", async () => {
    const { origin } = await server(healthy());
    const { listener } = await capture([target(`${origin}/metrics`, { headers: { authorization: "Bearer a\nb" } })]);
    await listener.until(() => listener.scrapes.length > 0);
    expect(listener.scrapes[0]?.error?.message).toMatch(/invalid authorization header/);
    expect(listener.scrapes[0]?.error?.message).not.toContain("Bearer a");
  });
});
