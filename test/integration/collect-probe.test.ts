import { describe, expect, it } from "vitest";
import {
  discoveryEndpoints,
  probeEndpoints,
  type EndpointOptions,
  type ProbeProgress,
} from "../../src/collect/index.js";
import {
  exposition,
  FAULTS,
  healthy,
  refusedPort,
  respond,
  TEXT_FORMAT,
  type Handler,
} from "../support/faulty-server.js";
import { closedAfterEach } from "../support/servers.js";
import { serveTls } from "../support/faulty-server-tls.js";

const { open, server } = closedAfterEach();

function endpoints(...urls: string[]): EndpointOptions[] {
  return urls.map((url) => ({ url, enabled: true }));
}

async function probeOne(url: string, timeoutMs = 2000, more: Partial<EndpointOptions> = {}) {
  const [result] = await probeEndpoints([{ url, enabled: true, ...more }], timeoutMs);
  return result!;
}

const onlyAt = (path: string, other: Handler = FAULTS.status(404)): Handler => {
  const good = healthy();
  return (request, response) => (request.url === path ? good : other)(request, response);
};

describe("reachability", () => {
  it("asks with HEAD, then GET, and tells what it found", async () => {
    const { origin, requests, port } = await server(healthy());
    const { reachability, target } = await probeOne(`127.0.0.1:${port}`);
    expect(requests).toEqual(["HEAD /metrics", "GET /metrics"]);
    expect(reachability).toEqual({
      url: `${origin}/metrics`,
      displayName: `127.0.0.1:${port}`,
      reachable: true,
      servers: ["vLLM"],
      families: 2,
      latencyMs: expect.any(Number) as number,
    });
    expect(target).toEqual({ url: `${origin}/metrics`, headers: {}, answered: true, fallbackTried: false });
  });

  it.each([405, 501, 404])("lets GET decide when HEAD answers %i", async (status) => {
    const good = healthy();
    const { origin } = await server((request, response) =>
      (request.method === "HEAD" ? FAULTS.status(status) : good)(request, response),
    );
    expect((await probeOne(origin)).reachability.reachable).toBe(true);
  });

  it("lets GET decide when HEAD hangs", async () => {
    const good = healthy();
    const { origin } = await server((request, response) =>
      (request.method === "HEAD" ? FAULTS.hanging() : good)(request, response),
    );
    expect((await probeOne(origin, 600)).reachability.reachable).toBe(true);
  });

  it("decides all at once, within the limit, in the given order, with the reason for each that is not reachable", async () => {
    // The one that answers does so when the others have been asked: a test of one after the other would never end well.
    let asked = 0;
    let allAsked = () => {};
    const others = new Promise<void>((resolve) => (allAsked = resolve));
    const noted =
      (handler: Handler): Handler =>
      (request, response) => {
        if (++asked === 2) allAsked();
        handler(request, response);
      };
    const answer = healthy();
    const good = await server((request, response) => void others.then(() => answer(request, response)));
    const hanging = await server(noted(FAULTS.hanging()));
    const failing = await server(noted(FAULTS.status(503, "starting")));
    const refused = await refusedPort();
    const progress: ProbeProgress[] = [];
    const results = await probeEndpoints(
      endpoints(hanging.origin, `localhost:${refused}`, good.origin, failing.origin),
      2000,
      undefined,
      (each) => progress.push(each),
    );
    expect(results.map(({ reachability }) => reachability.reachable)).toEqual([false, false, true, false]);
    const reasons = results.map(({ reachability }) => reachability.problem?.reason);
    expect(reasons[0]).toMatch(/did not answer \/metrics within 2 s/);
    expect(reasons[1]).toBe(`Connection refused at localhost:${refused}.`);
    expect(reasons[2]).toBeUndefined();
    expect(reasons[3]).toMatch(/HTTP 503 \("starting"\)/);
    expect(progress.map(({ done, total }) => `${done}/${total}`)).toEqual(["1/4", "2/4", "3/4", "4/4"]);
  });

  it("leaves out endpoints that are switched off", async () => {
    const { origin, requests } = await server(healthy());
    expect(await probeEndpoints([{ url: origin, enabled: false }], 500)).toEqual([]);
    expect(requests).toEqual([]);
  });

  it("names an endpoint whose URL cannot be used, without its credentials", async () => {
    await expect(probeEndpoints(endpoints("http://u:hunter2@ho%st"), 500)).rejects.toThrow(
      /^Endpoint "http:\/\/ho%st": /,
    );
  });

  it("rejects when aborted", async () => {
    const { origin } = await server(FAULTS.hanging());
    const controller = new AbortController();
    const probing = probeEndpoints(endpoints(origin), 60_000, controller.signal);
    controller.abort();
    await expect(probing).rejects.toMatchObject({ name: "AbortError" });
  });

  it("sends credentials of the URL and headers, and keeps them out of what it reports", async () => {
    let authorization: string | undefined;
    let key: unknown;
    const { port } = await server((request, response) => {
      ({ authorization, "x-key": key } = request.headers);
      respond(response, 200, TEXT_FORMAT, exposition(1));
    });
    const { reachability, target } = await probeOne(`http://me:hunter2@127.0.0.1:${port}`, 2000, {
      headers: { "X-Key": "k1" },
      label: "prod",
    });
    expect(authorization).toBe(`Basic ${Buffer.from("me:hunter2").toString("base64")}`);
    expect(key).toBe("k1");
    expect(JSON.stringify(reachability)).not.toMatch(/hunter2|me:|k1/);
    expect(target).toMatchObject({ url: `http://127.0.0.1:${port}/metrics`, label: "prod", answered: true });
  });
});

describe("what a path means is settled by what answers with an exposition", () => {
  it.each([
    ["/v1", "/v1/metrics"],
    ["/custom-metrics", "/custom-metrics"],
    ["/metrics", "/metrics"],
  ])("%s, served at %s", async (typed, served) => {
    const { origin } = await server(onlyAt(served));
    const { target, reachability } = await probeOne(origin + typed);
    expect(target).toMatchObject({ url: origin + served, answered: true });
    expect(reachability).toMatchObject({ url: origin + served, reachable: true });
  });

  it("the path below wins when both answer, and over one that is a web page", async () => {
    const both = await server(healthy());
    expect((await probeOne(`${both.origin}/v1`)).target.url).toBe(`${both.origin}/v1/metrics`);
    const page = await server(onlyAt("/v1", FAULTS.html()));
    expect((await probeOne(`${page.origin}/v1`)).target.url).toBe(`${page.origin}/v1`);
  });

  it("what answers at all wins over what is not there", async () => {
    const { origin } = await server((request, response) =>
      FAULTS.status(request.url === "/own" ? 503 : 404)(request, response),
    );
    expect((await probeOne(`${origin}/own`)).target).toMatchObject({ url: `${origin}/own`, answered: false });
  });

  it("endpoints that turn out to be the same collapse, the first one stays", async () => {
    const { origin, port } = await server(onlyAt("/v1/metrics"));
    const results = await probeEndpoints(endpoints(`${origin}/v1`, `127.0.0.1:${port}/v1/metrics/`), 2000);
    expect(results.map(({ target }) => target.url)).toEqual([`${origin}/v1/metrics`]);
  });
});

describe("an endpoint that is not a Prometheus endpoint", () => {
  it("moves to /prometheus/metrics when that is one", async () => {
    const { origin } = await server(FAULTS.json(healthy()));
    const { target, reachability } = await probeOne(origin);
    expect(target).toMatchObject({ url: `${origin}/prometheus/metrics`, answered: true, fallbackTried: true });
    expect(reachability).toMatchObject({ reachable: true, families: 2, url: `${origin}/prometheus/metrics` });
  });

  it("is reachable but says what is wrong, and the one probe is not made again", async () => {
    const { origin, requests } = await server(FAULTS.json());
    const { target, reachability } = await probeOne(origin);
    expect(target).toMatchObject({ url: `${origin}/metrics`, answered: false, fallbackTried: true });
    expect(reachability).toMatchObject({ reachable: true, families: 0, problem: { severity: "warning" } });
    expect(reachability.problem?.reason).toMatch(/application\/json/);
    expect(reachability.problem?.remedy).toMatch(/return_perf_metrics: true/);
    expect(requests.filter((request) => request.includes("prometheus"))).toEqual(["GET /prometheus/metrics"]);
  });

  it("an empty body is not a reason to look elsewhere", async () => {
    const { origin, requests } = await server(FAULTS.empty());
    const { reachability } = await probeOne(origin);
    expect(reachability.problem?.reason).toMatch(/empty body/);
    expect(requests).toEqual(["HEAD /metrics", "GET /metrics"]);
  });

  it("one that shows the process alone says that the engine's metrics are missing", async () => {
    const { origin } = await server((_, response) =>
      respond(response, 200, TEXT_FORMAT, "python_info 1\nprocess_open_fds 7\n"),
    );
    expect((await probeOne(origin)).reachability).toMatchObject({
      reachable: true,
      families: 2,
      servers: [],
      problem: { reason: expect.stringMatching(/process itself/) as string },
    });
  });

  it("a server without metrics yet says so", async () => {
    const { origin } = await server((_, response) => respond(response, 200, TEXT_FORMAT, "# nothing yet\n"));
    expect((await probeOne(origin)).reachability).toMatchObject({
      reachable: true,
      families: 0,
      problem: { reason: expect.stringMatching(/no metrics yet/) as string },
    });
  });
});

it("a probe tells what to do about a self-signed certificate", async () => {
  const tls = await serveTls(healthy());
  open.push(tls);
  const { reachability } = await probeOne(`https://127.0.0.1:${tls.port}`);
  expect(reachability).toMatchObject({ reachable: false, families: 0 });
  expect(reachability.problem?.reason).toMatch(/certificate of 127\.0\.0\.1:\d+ is self-signed/);
  expect(reachability.problem?.remedy).toMatch(/--ca/);
});

it("a probe tells that a server wants https", async () => {
  const tls = await serveTls(healthy());
  open.push(tls);
  const { reachability } = await probeOne(`http://127.0.0.1:${tls.port}`);
  expect(reachability.reachable).toBe(false);
  expect(reachability.problem?.remedy).toMatch(/https:\/\//);
});

it("a probe discovers what listens on the local ports", async () => {
  const { port } = await server(healthy());
  const trtllm = await server(FAULTS.json(healthy()));
  const silent = await refusedPort();
  const results = await probeEndpoints(discoveryEndpoints([silent, port, trtllm.port]), 2000);
  expect(results.map(({ reachability }) => [reachability.url, reachability.reachable])).toEqual([
    [`http://localhost:${silent}/metrics`, false],
    [`http://localhost:${port}/metrics`, true],
    [`http://localhost:${trtllm.port}/prometheus/metrics`, true],
  ]);
});
