import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { Collector, type CollectOptions, type Target } from "../../src/collect/index.js";
import { DEFAULT_LIMITS } from "../../src/core/model/index.js";
import { COLLECT_OPTIONS, Listener, target } from "../support/collecting.js";
import {
  exposition,
  FAULTS,
  healthy,
  refusedPort,
  respond,
  serveRaw,
  TEXT_FORMAT,
  type Handler,
  type TestServer,
} from "../support/faulty-server.js";
import { closedAfterEach } from "../support/servers.js";

const { open, server } = closedAfterEach();

async function raw(answer: Parameters<typeof serveRaw>[0]): Promise<TestServer> {
  const started = await serveRaw(answer);
  open.push(started);
  return started;
}

/** Starts a capture that ends with the test. */
async function capture(targets: readonly Target[], options: Partial<CollectOptions> = {}) {
  const listener = new Listener();
  const collector = new Collector(targets, { ...COLLECT_OPTIONS, ...options }, listener);
  open.push({ close: () => collector.abort() });
  await collector.start();
  return { collector, listener };
}

/** The first scrape of an endpoint that has never answered, and what its status then says. */
async function firstScrape(url: string, options: Partial<CollectOptions> = {}) {
  const { collector, listener } = await capture([target(url)], options);
  await listener.until(() => listener.scrapes.length > 0);
  const [scrape] = listener.scrapes;
  await listener.until(() => listener.statuses.length > 0);
  const [status] = collector.status();
  return { collector, listener, scrape: scrape!, status: status! };
}

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
      reason: /began to answer .* not done within 0\.2 s \(60 bytes came\)/,
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
      reason: /not done within 0\.2 s/,
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
    expect(status.problems).toEqual([
      { severity: "error", reason: scrape.error?.message, remedy: expect.stringMatching(remedy) as string },
    ]);
    await listener.until(() => listener.scrapes.length > 1);
    expect(listener.notices).toEqual([]);
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
    expect(scrape.error?.message).toMatch(/began to answer \/metrics but was not done within 0\.2 s\.$/);
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

describe("an endpoint that has never been valid and is not a Prometheus endpoint is left out with exactly one warning", () => {
  it("JSON: the body is not read, /prometheus/metrics is tried once", async () => {
    const { origin, requests } = await server(FAULTS.json());
    const url = `${origin}/metrics`;
    const { collector, listener } = await capture([target(url)]);
    await listener.until(() => listener.notices.length > 0);
    const [notice] = listener.notices;
    expect(notice?.problem.severity).toBe("warning");
    expect(notice?.problem.reason).toBe(
      `${url} answers with application/json, not with Prometheus metrics. It is left out of this capture.`,
    );
    expect(notice?.problem.remedy).toMatch(/return_perf_metrics: true.*enabled: false/);
    expect(collector.status()[0]).toMatchObject({ state: "disabled", failures: 1, problems: [notice?.problem] });
    // Many ticks later nothing more was asked or said.
    const other = await server(healthy());
    const { listener: beside } = await capture([target(`${other.origin}/metrics`)]);
    await beside.until(() => beside.scrapes.length > 6);
    expect(requests).toEqual(["GET /metrics", "GET /prometheus/metrics"]);
    expect(listener.notices).toHaveLength(1);
    expect(listener.scrapes.map(({ error }) => error?.type)).toEqual(["not-prometheus"]);
  });

  it("HTML: named with its content type and where it went wrong", async () => {
    const { origin } = await server(FAULTS.html());
    const { collector, listener } = await capture([target(`${origin}/metrics`)]);
    await listener.until(() => listener.notices.length > 0);
    expect(listener.notices[0]?.problem.reason).toMatch(
      /is not a Prometheus exposition \(text\/html; charset=utf-8\): .*line 1/,
    );
    expect(listener.notices[0]?.problem.remedy).toMatch(/web page.*enabled: false/);
    expect(collector.status()[0]?.state).toBe("disabled");
  });

  it("garbage", async () => {
    const { origin } = await server(FAULTS.garbage());
    const { listener } = await capture([target(`${origin}/metrics`)]);
    await listener.until(() => listener.notices.length > 0);
    expect(listener.scrapes[0]?.error).toMatchObject({
      type: "parse",
      message: expect.stringContaining("line 1") as string,
    });
  });

  it("a path that is no /metrics, or is /prometheus/metrics, is not looked for elsewhere", async () => {
    for (const path of ["/custom-metrics", "/prometheus/metrics"]) {
      const { origin, requests } = await server((_, response) => respond(response, 200, "application/json", "{}"));
      const { listener } = await capture([target(origin + path)]);
      await listener.until(() => listener.notices.length > 0);
      expect(requests).toEqual([`GET ${path}`]);
    }
  });

  it("gets another chance when the user asks for it", async () => {
    let handler: Handler = FAULTS.json();
    const { origin } = await server((request, response) => handler(request, response));
    const { collector, listener } = await capture([target(`${origin}/metrics`)]);
    await listener.until(() => listener.notices.length > 0);
    handler = FAULTS.json(healthy());
    collector.retryNow(`${origin}/metrics`);
    await listener.until(() => listener.of(`${origin}/prometheus/metrics`).length > 2);
    expect(collector.status()[0]).toMatchObject({
      state: "up",
      url: `${origin}/prometheus/metrics`,
      configuredUrl: `${origin}/metrics`,
    });
  });
});

it("moves for good to /prometheus/metrics, query kept, when /metrics is JSON", async () => {
  const { origin, requests } = await server(FAULTS.json(healthy()));
  const { collector, listener } = await capture([target(`${origin}/metrics?model=m`)]);
  const moved = `${origin}/prometheus/metrics?model=m`;
  await listener.until(() => listener.of(moved).length > 3);
  expect(requests.filter((request) => request === "GET /metrics?model=m")).toHaveLength(1);
  expect(listener.scrapes.every(({ endpointUrl, kind }) => endpointUrl === moved && kind === "samples")).toBe(true);
  expect(collector.status()[0]).toMatchObject({ url: moved, configuredUrl: `${origin}/metrics?model=m`, state: "up" });
  expect(listener.notices.map(({ problem }) => problem.severity)).toEqual(["info"]);
});

it("does not capture a server twice when a move ends at an endpoint already captured", async () => {
  const { origin } = await server(FAULTS.json(healthy()));
  const { collector, listener } = await capture([target(`${origin}/prometheus/metrics`), target(`${origin}/metrics`)]);
  await listener.until(() => listener.notices.length > 0 && listener.scrapes.length > 4);
  expect(collector.status().map(({ state }) => state)).toEqual(["up", "disabled"]);
  expect(listener.notices[0]?.problem).toMatchObject({
    severity: "info",
    reason: expect.stringMatching(/captured already/) as string,
  });
  expect(listener.scrapes.map(({ time }) => time)).toEqual([...listener.scrapes.map(({ time }) => time)].sort());
});

it("never leaves out an endpoint that has once been valid: bad bodies are gaps", async () => {
  const bad: Handler[] = [FAULTS.json(), FAULTS.html(), FAULTS.garbage(), FAULTS.empty(), FAULTS.status(500)];
  const good = healthy();
  let n = 0;
  const { origin } = await server((request, response) => {
    const turn = n++;
    const handler = turn % 2 === 0 ? good : bad[(turn - 1) / 2];
    (handler ?? good)(request, response);
  });
  const { collector, listener } = await capture([target(`${origin}/metrics`)]);
  await listener.until(() => listener.scrapes.length >= 11);
  expect(listener.scrapes.slice(0, 11).map(({ kind, error }) => error?.type ?? kind)).toEqual([
    "samples",
    "not-prometheus",
    "samples",
    "parse",
    "samples",
    "parse",
    "samples",
    "not-prometheus",
    "samples",
    "http-status",
    "samples",
  ]);
  expect(listener.notices).toEqual([]);
  expect(collector.status()[0]?.state).toBe("up");
  expect(collector.status()[0]?.problems).toEqual([]);
});

it("keeps the rest of a scrape with more series than the limit, and says how many it dropped", async () => {
  let n = 0;
  const { origin } = await server((_request, response) =>
    respond(
      response,
      200,
      TEXT_FORMAT,
      Array.from({ length: 1500 }, (_, i) => `churn{id="${i < 500 ? i : i + 1000 * n}"} ${n}\n`).join("") +
        `n ${++n}\n`,
    ),
  );
  const { collector, listener } = await capture([target(`${origin}/metrics`)], {
    limits: { ...DEFAULT_LIMITS, series: 1000 },
  });
  await listener.until(() => listener.scrapes.length >= 3);
  expect(listener.scrapes.slice(0, 3).map(({ kind }) => kind)).toEqual(["samples", "samples", "samples"]);
  expect(listener.notices.map(({ problem }) => problem.reason)).toEqual([
    expect.stringMatching(/^501 series of a scrape of .* were dropped: the endpoint has more than 1,000\./),
  ]);
  const [status] = collector.status();
  expect(status?.state).toBe("up");
  expect(status?.problems).toEqual(listener.notices.map(({ problem }) => problem));
  expect(status?.droppedLines).toBeGreaterThanOrEqual(501 + 2 * 1001);
});

describe("answers that are as good as any", () => {
  it.each(["gzip", "deflate", "raw-deflate", "br", "zstd"] as const)("%s", async (encoding) => {
    const { origin } = await server(FAULTS.compressed(encoding));
    const { scrape } = await firstScrape(`${origin}/metrics`);
    expect(scrape.kind).toBe("samples");
    expect(scrape.samples).toEqual(
      new Map([
        ["vllm:num_requests_running", 1],
        ["vllm:generation_tokens", 10],
      ]),
    );
  });

  it("compressed by its transfer coding", async () => {
    const { origin } = await server((_, response) => {
      response.writeHead(200, { "content-type": TEXT_FORMAT, "transfer-encoding": "gzip, chunked" });
      response.end(gzipSync(exposition(3)));
    });
    expect((await firstScrape(`${origin}/metrics`)).scrape.samples.get("vllm:num_requests_running")).toBe(3);
  });

  it("a wrong content type", async () => {
    const { origin } = await server((_, response) => respond(response, 200, "application/octet-stream", exposition(4)));
    expect((await firstScrape(`${origin}/metrics`)).scrape.samples.get("vllm:num_requests_running")).toBe(4);
  });

  it("no content type", async () => {
    const { origin } = await server((_, response) => respond(response, 200, "", exposition(5)));
    expect((await firstScrape(`${origin}/metrics`)).scrape.samples.get("vllm:num_requests_running")).toBe(5);
  });

  it("a redirect, recorded under the endpoint's own URL, without its credentials going elsewhere", async () => {
    const seen: (string | undefined)[] = [];
    const elsewhere = await server((request, response) => {
      seen.push(request.headers.authorization);
      healthy()(request, response);
    });
    const { origin } = await server((request, response) => {
      if (request.url === "/metrics") FAULTS.redirect("/metrics/")(request, response);
      else FAULTS.redirect(`${elsewhere.origin}/metrics`, 302)(request, response);
      seen.push(request.headers.authorization);
    });
    const { listener } = await capture([target(`${origin}/metrics`, { headers: { Authorization: "Bearer secret" } })]);
    await listener.until(() => listener.scrapes.length > 0);
    expect(listener.scrapes[0]).toMatchObject({ kind: "samples", endpointUrl: `${origin}/metrics` });
    expect(seen.slice(0, 3)).toEqual(["Bearer secret", "Bearer secret", undefined]);
  });

  it("a body of which nothing tells the length", async () => {
    const { origin } = await raw((socket) =>
      socket.end(`HTTP/1.0 200 OK\r\nContent-Type: ${TEXT_FORMAT}\r\n\r\n${exposition(6)}`),
    );
    expect((await firstScrape(`${origin}/metrics`)).scrape.samples.get("vllm:num_requests_running")).toBe(6);
  });

  it("a server that closes each connection", async () => {
    const good = healthy();
    const { origin, connections } = await server((request, response) => {
      response.setHeader("connection", "close");
      good(request, response);
    });
    const { listener } = await capture([target(`${origin}/metrics`)]);
    await listener.until(() => listener.scrapes.length > 3);
    expect(listener.scrapes.every(({ kind }) => kind === "samples")).toBe(true);
    expect(connections()).toBeGreaterThan(3);
  });

  it("a kept-alive connection that the server drops just as it is used again", async () => {
    let served = 0;
    const { origin, connections } = await raw((socket) => {
      // Every other request on a connection meets a closed door.
      if (served++ % 2 === 1) {
        socket.destroy();
        return;
      }
      const body = exposition(served);
      socket.write(`HTTP/1.1 200 OK\r\nContent-Type: ${TEXT_FORMAT}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    });
    const { listener } = await capture([target(`${origin}/metrics`)]);
    await listener.until(() => listener.scrapes.length > 4);
    expect(listener.scrapes.map(({ error }) => error?.message)).toEqual(listener.scrapes.map(() => undefined));
    expect(connections()).toBeGreaterThan(1);
  });

  it("keeps one connection alive otherwise", async () => {
    const { origin, connections } = await server(healthy());
    const { listener } = await capture([target(`${origin}/metrics`)]);
    await listener.until(() => listener.scrapes.length > 5);
    expect(connections()).toBe(1);
  });
});
