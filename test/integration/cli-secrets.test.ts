import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import type { ServerOptions } from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import { createGunzip, constants } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli, startCli, until } from "../support/cli.js";
import { respond, serve, TEXT_FORMAT, type Handler, type TestServer } from "../support/faulty-server.js";
import { variedScrapes, writeJournal } from "../support/journals.js";
import { startProxy } from "../support/proxy.js";
import { CERTIFICATE, KEY, serveTls } from "../support/faulty-server-tls.js";

const SECRET = "s3cr3t-value";
const OTHER = "0ther-value";
const METRICS = '# TYPE tokenizer_calls counter\ntokenizer_calls_total{max_tokens="7"} 1\n# TYPE up gauge\nup 1\n';

let dir: string;
const closing: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "server-metrics-secrets-"));
});
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
  await rm(dir, { recursive: true, force: true });
});

const file = (name: string) => path.join(dir, name);
const ok: Handler = (_, response) => void response.setHeader("content-type", "text/plain").end(METRICS);

async function server(handler: Handler): Promise<TestServer> {
  const started = await serve(handler);
  closing.push(() => started.close());
  return started;
}

async function tlsServer(options?: ServerOptions): Promise<{ readonly port: number }> {
  const started = await serveTls(ok, options);
  closing.push(() => started.close());
  return started;
}

describe("secrets in a URL's query", () => {
  it("are sent, and are in no file, message or view; endpoints that differ only there stay two", async () => {
    const asked: string[] = [];
    const { origin, port } = await server((request, response) => {
      asked.push(request.url ?? "");
      ok(request, response);
    });
    const url = (secret: string) => `${origin}/metrics?node=a&token=${secret}`;
    const formats = "json,csv,parquet,jsonl";
    const finished = await runCli([
      ...["capture", "--url", url(SECRET), "--url", url(OTHER), "--duration", "1", "--interval", "100ms"],
      ...["--formats", formats, "--out", dir, "--summary", "all"],
    ]);
    expect(finished.code).toBe(0);
    expect(asked).toContain(`/metrics?node=a&token=${SECRET}`);
    expect(asked).toContain(`/metrics?node=a&token=${OTHER}`);

    const shown = [finished.stdout, finished.stderr];
    for (const name of await readdir(dir)) {
      shown.push(await readFile(file(name), "latin1"));
      shown.push((await runCli(["show", file(name), "--family", "tokenizer_calls"])).stdout);
      // What is compressed in Parquet is read back.
      if (!name.endsWith(".csv")) shown.push((await runCli(["show", file(name), "--json"])).stdout);
    }
    for (const text of shown) {
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain(OTHER);
    }
    const json = await readFile(file("server_metrics_export.json"), "utf8");
    expect(json).toContain(`${origin}/metrics?node=a&token=REDACTED"`);
    expect(json).toContain(`${origin}/metrics?node=a&token=REDACTED#2"`);
    expect(json).toContain('"max_tokens": "7"');
    const csv = await readFile(file("server_metrics_export.csv"), "utf8");
    expect(csv).toContain(`127.0.0.1:${port} #2`);
    expect(csv).toContain("tokenizer_calls");
  });

  it("are not in the journal of a capture that was killed", async () => {
    const { origin } = await server(ok);
    const running = startCli(
      ["capture", "--url", `${origin}/metrics?api_key=${SECRET}`, "--interval", "50ms", "--out", dir],
      {},
    );
    const journal = async () => (await readdir(dir)).find((name) => name.includes("journal"));
    await until("the journal", async () => {
      const name = await journal();
      return name !== undefined && (await unzipped(file(name))).includes("REDACTED");
    });
    running.child.kill("SIGKILL");
    await running.finished;
    expect(await unzipped(file((await journal()) ?? ""))).not.toContain(SECRET);
  });

  it("are not in errors, not even where the server repeats them", async () => {
    const { origin } = await server((request, response) => {
      response.writeHead(403, { "content-type": "text/plain" });
      response.end(`no access for ${request.url} with ${request.headers.authorization}`);
    });
    const { code, stdout, stderr } = await runCli(
      ["snapshot", `${origin}/metrics?sig=${SECRET}`, "--header", "Authorization: Bearer $TOKEN"],
      { env: { TOKEN: OTHER } },
    );
    expect(code).toBe(1);
    expect(stderr).toContain("no access for /metrics?sig=REDACTED with REDACTED");
    expect(stdout + stderr).not.toContain(SECRET);
    expect(stdout + stderr).not.toContain(OTHER);
    const wrong = await runCli(["snapshot", `http://ho%st/?token=${SECRET}`]);
    expect(wrong.stderr).toContain("token=REDACTED");
    expect(wrong.stderr).not.toContain(SECRET);
  });

  it("may have other names", async () => {
    const { origin } = await server(ok);
    const args = ["capture", "--url", `${origin}/metrics?ticket=${SECRET}`, "--duration", "0.3", "--out", dir];
    await runCli([...args, "--formats", "json"], { env: { SERVER_METRICS_SECRET_PARAMETERS: "ticket, pass" } });
    const json = await readFile(file("server_metrics_export.json"), "utf8");
    expect(json).toContain("ticket=REDACTED");
  });
});

describe("headers", () => {
  it("take values from the environment and from files", async () => {
    const seen: (string | undefined)[][] = [];
    const { origin } = await server((request, response) => {
      const { authorization } = request.headers;
      seen.push([authorization, String(request.headers["x-one"]), String(request.headers["x-two"])]);
      ok(request, response);
    });
    await writeFile(file("headers"), "# of the gateway\nX-One: from $FILE\n\nX-Two: overruled\r\n");
    const { code } = await runCli(
      [
        ...["snapshot", origin, "--header-file", file("headers")],
        ...["--header", "Authorization: Bearer $TOKEN", "--header", "X-Two: ${TOKEN}$$"],
      ],
      { env: { TOKEN: SECRET } },
    );
    expect(code).toBe(0);
    expect(seen[0]).toEqual([`Bearer ${SECRET}`, "from $FILE", `${SECRET}$`]);
  });

  it("that cannot be made are refused without their value", async () => {
    const unset = await runCli([
      "snapshot",
      "localhost:1",
      "--header",
      `Authorization: Bearer ${SECRET} $NOT_SET_AT_ALL`,
    ]);
    expect(unset.code).toBe(2);
    expect(unset.stderr).toContain("$NOT_SET_AT_ALL");
    expect(unset.stderr).not.toContain(SECRET);
    const broken = await runCli(["snapshot", "localhost:1", "--header", `Authorization Bearer ${SECRET}`]);
    expect([broken.code, broken.stderr]).toEqual([2, "server-metrics: Write a header as 'Name: value'.\n"]);
    await writeFile(file("headers"), `Authorization Bearer ${SECRET}\n`);
    const wrong = await runCli(["snapshot", "localhost:1", "--header-file", file("headers")]);
    expect(wrong.stderr).toMatch(/headers, line 1: write one header per line/);
    expect(wrong.stderr).not.toContain(SECRET);
  });
});

describe("https", () => {
  it("trusts an own authority, and only when it is named", async () => {
    const { port } = await tlsServer();
    await writeFile(file("ca.pem"), CERTIFICATE);
    const url = `https://localhost:${port}/metrics`;
    expect(await runCli(["snapshot", url])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("--ca") as string,
    });
    expect(await runCli(["snapshot", url, "--ca", file("ca.pem")])).toMatchObject({ code: 0 });
    await writeFile(file("no.pem"), "nothing");
    expect((await runCli(["snapshot", url, "--ca", file("no.pem")])).stderr).toMatch(/no\.pem holds no certificate/);
  });

  it("trusts an own authority of a store, too, while a capture goes there and when one is recovered", async () => {
    const gateway = await serveTls((request, response) => {
      request.resume().on("end", () => response.end());
    });
    closing.push(() => gateway.close());
    await writeFile(file("ca.pem"), CERTIFICATE);
    const { origin } = await server(ok);
    const journal = file("left.journal.jsonl.gz");
    await writeJournal(journal, variedScrapes(8), 4);
    const pushed = ["--formats", "jsonl", "--summary", "none", "--pushgateway", `https://localhost:${gateway.port}`];
    const commands = [
      ["capture", origin, "--duration", "0.2", "--interval", "50ms", "--force", "--out", file("captured"), ...pushed],
      ["recover", journal, "--out", file("recovered"), ...pushed],
    ];
    for (const command of commands) {
      const refused = await runCli(command);
      expect([refused.code, command[0]]).toEqual([1, command[0]]);
      expect(refused.stderr).toMatch(/does not trust .* --ca,/);
      const trusted = await runCli([...command, "--ca", file("ca.pem")]);
      expect(trusted.stderr).not.toContain("not trust");
      expect(trusted.stdout).toMatch(/summary of \d+ series pushed to https:/);
      expect(trusted.code).toBe(0);
    }
  });

  it("shows a client's certificate to a server that asks for one", async () => {
    const { port } = await tlsServer({ requestCert: true, rejectUnauthorized: true, ca: CERTIFICATE });
    await writeFile(file("ca.pem"), CERTIFICATE);
    await writeFile(file("key.pem"), KEY);
    const args = ["snapshot", `https://localhost:${port}/metrics`, "--ca", file("ca.pem")];
    const refused = await runCli(args);
    expect(refused.code).toBe(1);
    const taken = await runCli([...args, "--cert", file("ca.pem"), "--key", file("key.pem")]);
    expect(taken).toMatchObject({ code: 0 });
    expect((await runCli([...args, "--cert", file("ca.pem")])).stderr).toMatch(/both --cert and --key/);
  });
});

/** Whatever this machine has set: unset. */
const LOWER_CASE = { http_proxy: undefined, https_proxy: undefined, no_proxy: undefined };

describe("a proxy of the environment", () => {
  async function proxy() {
    const started = await startProxy();
    closing.push(() => started.close());
    return started;
  }

  it("is used for http and https, but for hosts of NO_PROXY", async () => {
    const { asked, url } = await proxy();
    const plain = await server(ok);
    const tls = await tlsServer();
    await writeFile(file("ca.pem"), CERTIFICATE);
    const env = { HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: "", ...LOWER_CASE };
    expect((await runCli(["snapshot", plain.origin], { env })).code).toBe(0);
    expect(asked).toContain(`GET ${plain.origin}/metrics`);
    const secure = ["snapshot", `https://localhost:${tls.port}/metrics`, "--ca", file("ca.pem")];
    expect((await runCli(secure, { env })).code).toBe(0);
    expect(asked).toContain(`CONNECT localhost:${tls.port}`);

    asked.length = 0;
    const direct = await runCli(["snapshot", plain.origin], { env: { ...env, NO_PROXY: "127.0.0.1" } });
    expect(direct.code).toBe(0);
    expect(asked).toEqual([]);
  });

  it("that does not answer is named", async () => {
    const plain = await server(ok);
    const { stderr, code } = await runCli(["snapshot", plain.origin], {
      env: { HTTP_PROXY: "http://127.0.0.1:1", ...LOWER_CASE },
    });
    expect(code).toBe(1);
    expect(stderr).toContain("HTTP_PROXY");
  });

  it("whose address is none is named without it", async () => {
    const { stderr, code } = await runCli(["snapshot", "localhost:1"], {
      env: { HTTP_PROXY: `http://user:${SECRET}@two words`, ...LOWER_CASE },
    });
    expect(code).toBe(2);
    expect(stderr).toContain("The variable HTTP_PROXY is not the address of a proxy");
    expect(stderr).not.toContain(SECRET);
  });
});

/** What there is of a gzip file that is still written to. */
async function unzipped(path: string): Promise<string> {
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  const chunks: Buffer[] = [];
  gunzip.on("data", (chunk: Buffer) => chunks.push(chunk));
  const done = new Promise<void>((resolve) => gunzip.once("end", resolve).once("error", () => resolve()));
  gunzip.end(await readFile(path));
  await done;
  return Buffer.concat(chunks).toString("utf8");
}

it("a value that the server serves as a label is its data, and recorded as it is", async () => {
  const { origin } = await server((request, response) => {
    const token = String(request.headers.authorization);
    respond(response, 200, TEXT_FORMAT, `# TYPE app_up gauge\napp_up{as="${token}"} 1\n`);
  });
  const args = ["capture", origin, "--header", `Authorization: ${SECRET}`, "--duration", "1", "--formats", "json"];
  expect((await runCli([...args, "--out", dir])).code).toBe(0);
  const { input_config, metrics } = JSON.parse(await readFile(file("server_metrics_export.json"), "utf8")) as {
    readonly [key: string]: unknown;
  };
  expect(JSON.stringify(metrics)).toContain(SECRET);
  expect(JSON.stringify(input_config)).not.toContain(SECRET);
});
