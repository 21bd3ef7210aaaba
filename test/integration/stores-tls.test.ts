import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { EXPIRED } from "../support/bad-certificates.js";
import { startCli, until } from "../support/cli.js";
import { CERTIFICATE, KEY, serveTls } from "../support/faulty-server-tls.js";
import { healthy } from "../support/faulty-server.js";
import { startProxy } from "../support/proxy.js";
import { closedAfterEach } from "../support/servers.js";

const { open, server } = closedAfterEach();
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-metrics-stores-tls-"));
  await writeFile(join(folder, "ca.pem"), CERTIFICATE);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** What takes remote writes, behind TLS; `written` has the paths. */
async function store(certificate = { key: KEY, cert: CERTIFICATE }) {
  const written: string[] = [];
  const tls = await serveTls((request, response) => {
    request.resume().on("end", () => {
      written.push(`${request.method} ${request.url}`);
      response.writeHead(204).end();
    });
  }, certificate);
  open.push(tls);
  return { written, url: `https://localhost:${tls.port}/api/v1/write` };
}

/** A capture that writes there. */
async function start(url: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const { origin } = await server(healthy());
  const none = { http_proxy: undefined, https_proxy: undefined, no_proxy: undefined, HTTP_PROXY: undefined };
  const running = startCli(
    ["capture", origin, "--duration", "1", "--remote-write", url, "--out", join(folder, "o"), "--force", ...args],
    { env: { ...none, HTTPS_PROXY: undefined, NO_PROXY: undefined, ...env } },
  );
  open.push({ close: () => running.child.kill("SIGKILL") });
  return running;
}

/** What it says of a store that it cannot write to; it would try for a minute. */
async function says(words: RegExp, ...given: Parameters<typeof start>) {
  const running = await start(...given);
  await until(String(words), () => words.test(running.stderrSoFar()), 30_000);
}

it("a store is written to when an authority that is named vouches for it, and then alone", async () => {
  const { written, url } = await store();
  await says(/certificate of localhost:\d+ is self-signed.*--ca/s, url);
  expect(written).toEqual([]);
  const taken = await (await start(url, ["--ca", join(folder, "ca.pem")])).finished;
  expect(taken.code, taken.stderr).toBe(0);
  expect(written).toContain("POST /api/v1/write");
});

it("a store with an expired certificate gets nothing", async () => {
  const { written, url } = await store(EXPIRED);
  await writeFile(join(folder, "ca.pem"), EXPIRED.cert);
  await says(/is expired or not valid yet/, url, ["--ca", join(folder, "ca.pem")]);
  expect(written).toEqual([]);
});

it("a store is reached through the proxy of the environment, in a tunnel, but for hosts of NO_PROXY", async () => {
  const proxy = await startProxy();
  open.push(proxy);
  const { written, url } = await store();
  const ca = ["--ca", join(folder, "ca.pem")];
  const through = await (await start(url, ca, { HTTPS_PROXY: proxy.url, NO_PROXY: "127.0.0.1" })).finished;
  expect(through.code, through.stderr).toBe(0);
  expect(proxy.asked).toContain(`CONNECT ${new URL(url).host}`);
  expect(written).toContain("POST /api/v1/write");
  proxy.asked.length = 0;
  const outside = { HTTPS_PROXY: proxy.url, NO_PROXY: "127.0.0.1,localhost" };
  const direct = await (await start(url, ca, outside)).finished;
  expect(direct.code, direct.stderr).toBe(0);
  expect(proxy.asked).toEqual([]);
  // One that is not there is named.
  await says(/HTTPS_PROXY/, url, ca, { HTTPS_PROXY: "http://127.0.0.1:1", NO_PROXY: "127.0.0.1" });
});
