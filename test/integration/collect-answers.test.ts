import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { captures, target } from "../support/collecting.js";
import { exposition, FAULTS, healthy, respond, TEXT_FORMAT } from "../support/faulty-server.js";

const { raw, server, capture, firstScrape } = captures();

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

  it("a redirect within the server, recorded under the endpoint's own URL", async () => {
    const { origin } = await server((request, response) => {
      if (request.url === "/metrics") FAULTS.redirect("/metrics/")(request, response);
      else healthy()(request, response);
    });
    const { listener } = await capture([target(`${origin}/metrics`)]);
    await listener.until(() => listener.scrapes.length > 0);
    expect(listener.scrapes[0]).toMatchObject({ kind: "samples", endpointUrl: `${origin}/metrics` });
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
