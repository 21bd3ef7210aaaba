import type Dns from "node:dns";
import { createServer } from "node:http";
import type { AddressInfo, LookupFunction } from "node:net";
import { networkInterfaces } from "node:os";
import { expect, it, vi } from "vitest";
import { displayName } from "../../src/core/model/index.js";
import { normalizeUrl, ServerClient } from "../../src/collect/index.js";
import { captures, target } from "../support/collecting.js";
import { healthy } from "../support/faulty-server.js";

const moving = vi.hoisted(() => ({ address: "127.0.0.1" }));

// A resolver whose answers change, or that does not answer: a real one would need this machine's settings.
vi.mock("node:dns", async (importOriginal) => {
  const dns = await importOriginal<typeof Dns>();
  const lookup: LookupFunction = (name, options, callback) => {
    if (name === "silent.example") return;
    dns.lookup(name === "moving.example" ? moving.address : name, options, callback);
  };
  return { ...dns, lookup };
});

const { open, capture, firstScrape } = captures();

it("a name server that does not answer is named, and not a firewall", async () => {
  const { scrape, status } = await firstScrape("http://silent.example:8000/metrics", { scrapeTimeoutMs: 200 });
  expect(scrape.error).toEqual({
    type: "unreachable",
    message: "The host name silent.example was not resolved within 0.2 s.",
  });
  expect(status.problems[0]?.remedy).toMatch(/name server \(DNS\) does not answer/);
  expect(status.problems[0]?.remedy).not.toMatch(/firewall/);
  const store = new ServerClient({ url: "http://silent.example:9090", enabled: true });
  open.push({ close: () => store.close() });
  const answer = await store.send({
    method: "GET",
    path: "/",
    timeoutMs: 200,
    remedies: { slow: "slow", large: "large" },
  });
  expect(answer).toMatchObject({ failure: { reason: "The host name silent.example was not resolved within 0.2 s." } });
});

/** At an address of this machine's loopback network. */
async function serverAt(address: string, port: number) {
  let asked = 0;
  const answer = healthy();
  const server = createServer((request, response) => (asked++, answer(request, response)));
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
  const close = () => (server.closeAllConnections(), server.close());
  open.push({ close });
  return { port: (server.address() as AddressInfo).port, close, asked: () => asked };
}

it.runIf(process.platform === "linux")("a name is looked up again once its server is gone", async () => {
  const before = await serverAt("127.0.0.1", 0);
  const after = await serverAt("127.0.0.2", before.port);
  const { listener } = await capture([target(`http://moving.example:${before.port}/metrics`)]);
  await listener.until(() => listener.scrapes.length > 2);
  // An open connection is kept, wherever the name leads by now.
  moving.address = "127.0.0.2";
  const kept = listener.scrapes.length;
  await listener.until(() => listener.scrapes.length > kept + 2);
  expect(after.asked()).toBe(0);
  before.close();
  await listener.until(() => after.asked() > 3);
  const failed = listener.scrapes.filter(({ kind }) => kind === "failed");
  expect(failed.length).toBeLessThanOrEqual(1);
});

const loopback = Object.entries(networkInterfaces()).find(([, all]) => all?.some(({ address }) => address === "::1"));

it.skipIf(process.platform !== "linux" || loopback === undefined)(
  "an IPv6 address with a zone is scraped",
  async () => {
    const server = createServer(healthy());
    await new Promise<void>((resolve) => server.listen(0, "::1", resolve));
    open.push({ close: () => (server.closeAllConnections(), server.close()) });
    const { port } = server.address() as AddressInfo;
    const [zone = ""] = loopback ?? [];
    for (const typed of [`http://[::1%25${zone}]:${port}`, `[::1%${zone}]:${port}/metrics`]) {
      const url = normalizeUrl(typed);
      expect(displayName(url)).toBe(`--1s${zone}.ipv6-literal.net:${port}`);
      const { listener } = await capture([target(url)]);
      await listener.until(() => listener.scrapes.length > 1);
      expect(listener.scrapes.map(({ kind }) => kind)).toEqual(listener.scrapes.map(() => "samples"));
    }
    // A network that is not there.
    const { scrape } = await firstScrape(normalizeUrl(`[fe80::1%nowhere]:${port}`));
    expect(scrape.error).toMatchObject({ type: "unreachable" });
  },
);
