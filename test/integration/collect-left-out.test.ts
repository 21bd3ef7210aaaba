import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../src/core/model/index.js";
import { captures, target } from "../support/collecting.js";
import { FAULTS, healthy, respond, TEXT_FORMAT, type Handler } from "../support/faulty-server.js";

const { server, capture } = captures();

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

describe("an endpoint that has never been valid and answers what is no exposition", () => {
  it("HTML: named with its content type and where it went wrong", async () => {
    const { origin } = await server(FAULTS.html());
    const { collector, listener } = await capture([target(`${origin}/metrics`)]);
    await listener.until(() => listener.scrapes.length > 0);
    const [status] = collector.status();
    expect(status?.state).toBe("failing");
    expect(status?.problems[0]?.reason).toMatch(
      /is not a Prometheus exposition \(text\/html; charset=utf-8\): .*line 1/,
    );
    expect(status?.problems[0]?.remedy).toMatch(/web page/);
  });

  it("garbage: tried again, ever later, until it is one", async () => {
    let handler: Handler = FAULTS.garbage();
    const { origin } = await server((request, response) => handler(request, response));
    const { collector, listener } = await capture([target(`${origin}/metrics`)]);
    await listener.until(() => listener.scrapes.length > 1);
    expect(listener.scrapes[0]?.error).toMatchObject({
      type: "parse",
      message: expect.stringContaining("line 1") as string,
    });
    expect(listener.notices).toEqual([]);
    handler = healthy();
    await listener.until(() => listener.scrapes.some(({ kind }) => kind === "samples"));
    expect(collector.status()[0]).toMatchObject({ state: "up", problems: [] });
  });
});

it("a collector moves for good to /prometheus/metrics, query kept, when /metrics is JSON", async () => {
  const { origin, requests } = await server(FAULTS.json(healthy()));
  const { collector, listener } = await capture([target(`${origin}/metrics?model=m`)]);
  const moved = `${origin}/prometheus/metrics?model=m`;
  await listener.until(() => listener.of(moved).length > 3);
  expect(requests.filter((request) => request === "GET /metrics?model=m")).toHaveLength(1);
  expect(listener.scrapes.every(({ endpointUrl, kind }) => endpointUrl === moved && kind === "samples")).toBe(true);
  expect(collector.status()[0]).toMatchObject({ url: moved, configuredUrl: `${origin}/metrics?model=m`, state: "up" });
  expect(listener.notices.map(({ problem }) => problem.severity)).toEqual(["info"]);
});

it("a collector does not capture a server twice when a move ends at an endpoint already captured", async () => {
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

it("a collector never leaves out an endpoint that has once been valid: bad bodies are gaps", async () => {
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

it("a collector keeps the rest of a scrape with more series than the limit, and says how many it dropped", async () => {
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
