import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DISCOVERY_PORTS } from "../../src/core/catalog/index.js";
import { runCli, startCli, until } from "../support/cli.js";
import { FAULTS, healthy, refusedPort, type TestServer } from "../support/faulty-server.js";
import { closedAfterEach } from "../support/servers.js";

const { open, server } = closedAfterEach();
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-metrics-discovery-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A server at the first of the usual ports that is free. */
async function onUsualPort(): Promise<TestServer> {
  for (const { port } of DISCOVERY_PORTS) {
    const started = await server(healthy(), port).catch(() => undefined);
    if (started !== undefined) return started;
  }
  throw new Error("none of the usual ports is free");
}

/** An API server that lists pods, and a kubeconfig that leads to it. */
async function cluster(pods: () => readonly object[], status = 200, user: object = { token: "t" }) {
  const asked: URL[] = [];
  const tokens: (string | undefined)[] = [];
  const api: Server = createServer((request, response) => {
    asked.push(new URL(request.url ?? "/", "http://api"));
    tokens.push(request.headers.authorization);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ kind: "PodList", apiVersion: "v1", metadata: {}, items: pods() }));
  });
  await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
  open.push({ close: () => (api.closeAllConnections(), api.close()) });
  const kubeconfig = join(folder, `kubeconfig-${open.length}`);
  await writeFile(
    kubeconfig,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "k", user: "u", namespace: "serving" } }],
      clusters: [
        {
          name: "k",
          cluster: {
            server: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
            "insecure-skip-tls-verify": true,
          },
        },
      ],
      users: [{ name: "u", user }],
    }),
  );
  return { asked, tokens, env: { KUBECONFIG: kubeconfig } };
}

const pod = (name: string, port: number, image = "vllm/vllm-openai:latest") => ({
  metadata: { name, namespace: "serving" },
  spec: { containers: [{ name: "c", image, ports: [{ containerPort: port }] }] },
  status: { phase: "Running", podIP: "127.0.0.1" },
});

describe("capture --kubernetes", () => {
  it("captures the pods of the namespace; those that come join, those that go leave", async () => {
    const [first, second, other] = [await server(), await server(), await server()];
    let pods = [pod("a", first.port), pod("web", other.port, "nginx")];
    const { asked, env } = await cluster(() => pods);
    const out = join(folder, "out");
    const running = startCli(["capture", "--kubernetes", "--interval", "100ms", "--out", out, "--formats", "json"], {
      env,
    });
    await until("the first pod", () => first.requests.length > 3);
    pods = [pod("b", second.port)];
    await until("the second pod", () => second.requests.length > 3);
    await until("the end of the first", () => running.stderrSoFar().includes("pod serving/a is gone"));
    const last = first.requests.length;
    const before = second.requests.length;
    await until("more of the second", () => second.requests.length > before + 3);
    running.child.kill("SIGINT");
    const { code, stderr } = await running.finished;
    expect(code, stderr).toBe(0);
    expect(first.requests.length).toBe(last);
    expect(other.requests).toEqual([]);
    expect(stderr).toContain("kubernetes: 1 endpoint of pods in namespace serving");
    expect(stderr).toContain("new pod serving/b");
    const { summary } = JSON.parse(await readFile(join(out, "server_metrics_export.json"), "utf8")) as {
      summary: { endpoints_configured: string[]; endpoints_successful: string[] };
    };
    const urls = [first, second].map(({ origin }) => `${origin}/metrics`);
    expect(summary.endpoints_configured).toEqual(urls);
    expect(summary.endpoints_successful.toSorted()).toEqual(urls.toSorted());
    expect(asked[0]?.pathname).toBe("/api/v1/namespaces/serving/pods");
    expect(asked[0]?.searchParams.get("fieldSelector")).toBe("status.phase=Running");
  });

  it("a pod gets no header that is meant for others, and names no other server", async () => {
    const seen: [string, unknown][] = [];
    const watched = (name: string) =>
      server((request, response) => {
        seen.push([name, request.headers.authorization]);
        healthy()(request, response);
      });
    const [given, own, stolen] = [await watched("given"), await watched("pod"), await watched("elsewhere")];
    const evil = pod("evil", own.port);
    const annotated = (scheme: string) => ({
      ...evil,
      metadata: { ...evil.metadata, annotations: { "prometheus.io/scheme": scheme } },
    });
    const pods = [annotated(`${stolen.origin}/steal?`), annotated("gopher"), pod("good", own.port)];
    const { env } = await cluster(() => pods);
    const args = ["capture", given.origin, "--kubernetes", "--duration", "0.2", "--header", "Authorization: Bearer t"];
    const { code, stderr } = await runCli([...args, "--out", join(folder, "o")], { env });
    expect(code, stderr).toBe(0);
    expect(new Set(seen.map((one) => one.join(" ")))).toEqual(new Set(["given Bearer t", "pod "]));
    expect(stderr.match(/Pod serving\/evil is left out/g)).toHaveLength(2);
    seen.splice(0);
    await runCli([...args, "--pod-header", "Authorization: Bearer p", "--out", join(folder, "p")], { env });
    expect(new Set(seen.map((one) => one.join(" ")))).toEqual(new Set(["given Bearer t", "pod Bearer p"]));
  });

  it("takes every pod of a selector, in any namespace", async () => {
    const web = await server();
    const { asked, env } = await cluster(() => [pod("web", web.port, "nginx")]);
    const { code, stderr } = await runCli(
      [
        "capture",
        "--kubernetes",
        "--namespace",
        "*",
        "--selector",
        "app=web",
        "--duration",
        "0.2",
        "--out",
        join(folder, "o"),
      ],
      { env },
    );
    expect(code, stderr).toBe(0);
    expect(asked[0]?.pathname).toBe("/api/v1/pods");
    expect(asked[0]?.searchParams.get("labelSelector")).toBe("app=web");
  });

  it("says that there is no kubeconfig", async () => {
    const env = { KUBECONFIG: undefined, HOME: folder, KUBERNETES_SERVICE_HOST: undefined };
    const { code, stderr } = await runCli(["capture", "--kubernetes", "--duration", "0.2"], { env, cwd: folder });
    expect(code).toBe(1);
    expect(stderr).toContain("there is none (~/.kube/config does not exist, and KUBECONFIG is not set)");
  });

  const plugin = (script: string) => ({
    exec: {
      apiVersion: "client.authentication.k8s.io/v1",
      interactiveMode: "Never",
      command: process.execPath,
      args: ["-e", script],
    },
  });

  it("takes its token from the command of the kubeconfig", async () => {
    const served = await server();
    const credential = {
      apiVersion: "client.authentication.k8s.io/v1",
      kind: "ExecCredential",
      status: { token: "from-the-command" },
    };
    const { tokens, env } = await cluster(
      () => [pod("a", served.port)],
      200,
      plugin(`console.log(${JSON.stringify(JSON.stringify(credential))})`),
    );
    const args = ["capture", "--kubernetes", "--duration", "0.5", "--out", join(folder, "exec")];
    const { code, stderr } = await runCli(args, { env });
    expect(code, stderr).toBe(0);
    expect(tokens[0]).toBe("Bearer from-the-command");
    expect(served.requests.length).toBeGreaterThan(0);
  });

  it.each([
    [
      "fails",
      plugin("console.error('log in first\\nTOKEN=hidden'); process.exit(1)"),
      "cannot be asked: log in first.",
    ],
    ["prints something else", plugin("console.log('TOKEN=hidden')"), "has for credentials printed none"],
    ["prints no credential", plugin("console.log('{}')"), "has for credentials printed none"],
  ])("says so where that command %s, and quotes nothing secret", async (_, user, words) => {
    const { tokens, env } = await cluster(() => [], 200, user);
    const { code, stderr } = await runCli(["capture", "--kubernetes", "--duration", "0.2"], { env, cwd: folder });
    expect(code).toBe(1);
    expect(stderr).toContain(words);
    expect(stderr).not.toContain("hidden");
    expect(tokens).toEqual([]);
  });

  it("says so where that command is not there or hangs, and ends at once where it is not there", async () => {
    const ended: string[] = [];
    const capture = async (user: object, words: string) => {
      const { tokens, env } = await cluster(() => [], 200, user);
      const { code, stderr } = await runCli(["capture", "--kubernetes", "--duration", "0.2"], { env, cwd: folder });
      expect(code).toBe(1);
      expect(stderr).toContain(words);
      expect(tokens).toEqual([]);
      ended.push(words);
    };
    const begun = join(folder, "begun");
    const hanging = `require("node:fs").writeFileSync(${JSON.stringify(begun)}, ""); setInterval(() => {}, 1000)`;
    const hangs = capture(plugin(hanging), "failed, or took longer than 8 s");
    await until("the command to run", () => existsSync(begun));
    const missing = "/no/such/command";
    await capture({ exec: { command: missing } }, `${missing}, the command that the kubeconfig has`);
    expect(ended).toHaveLength(1);
    await hangs;
  });

  it("quotes nothing of a kubeconfig that cannot be read", async () => {
    const kubeconfig = join(folder, "broken");
    await writeFile(kubeconfig, "users:\n- name: u\n  user: {token: hidden\n bad: [\n");
    const env = { KUBECONFIG: kubeconfig };
    const { code, stderr } = await runCli(["capture", "--kubernetes", "--duration", "0.2"], { env, cwd: folder });
    expect(code).toBe(1);
    expect(stderr).toContain("The kubeconfig cannot be used: ");
    expect(stderr).not.toContain("hidden");
  });

  it("says why there are no pods, and goes on with the endpoints that are given", async () => {
    const given = await server();
    const { env } = await cluster(() => [], 403);
    const refused = await runCli(["capture", "--kubernetes", "--duration", "0.2"], { env, cwd: folder });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("does not let you list the pods of namespace serving (HTTP 403)");
    const both = await runCli(
      ["capture", given.origin, "--kubernetes", "--duration", "0.2", "--out", join(folder, "o")],
      { env },
    );
    expect(both.code, both.stderr).toBe(0);
    expect(both.stderr).toContain("HTTP 403");
    const none = await cluster(() => []);
    const empty = await runCli(["capture", "--kubernetes", "--duration", "0.2"], { env: none.env, cwd: folder });
    expect(empty.code).toBe(1);
    expect(empty.stderr).toContain("no running pod of an inference server in namespace serving");
    const alone = await runCli(["capture", given.origin, "--selector", "app=web"]);
    expect(alone.code).toBe(2);
    expect(alone.stderr).toContain("need --kubernetes");
  });
});

describe("capture --discover", () => {
  it("captures what answers, and says of all others why they do not", async () => {
    const good = await server();
    const json = await server(FAULTS.json(healthy()));
    const refused = await refusedPort();
    const out = join(folder, "out");
    const { code, stderr } = await runCli([
      "capture",
      "--duration",
      "0.3",
      "--out",
      out,
      "--discover",
      `127.0.0.1:${good.port}`,
      `127.0.0.1:${json.port}`,
      `127.0.0.1:${refused}`,
    ]);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("discovered: 2/3 endpoints reachable");
    expect(stderr).toContain(`Connection refused at 127.0.0.1:${refused}`);
    const { summary } = JSON.parse(await readFile(join(out, "server_metrics_export.json"), "utf8")) as {
      summary: { endpoints_configured: string[] };
    };
    expect(summary.endpoints_configured).toEqual([`${good.origin}/metrics`, `${json.origin}/prometheus/metrics`]);
  });

  it("happens by itself where no endpoint is given", async () => {
    const started = await onUsualPort();
    const out = join(folder, "out");
    const { code, stderr } = await runCli(["capture", "--duration", "0.3", "--interval", "50ms", "--out", out]);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("no endpoint given: trying the usual ports of this machine");
    expect(stderr).toMatch(/discovered: [1-9]\d*\/9 endpoints reachable/);
    expect(stderr).toContain(`  localhost:${started.port}: `);
    expect(stderr).toMatch(/ {2}localhost, ports \d+, .*(refused|answer)/);
    const { summary } = JSON.parse(await readFile(join(out, "server_metrics_export.json"), "utf8")) as {
      summary: { endpoints_configured: string[] };
    };
    expect(summary.endpoints_configured).toContain(`http://localhost:${started.port}/metrics`);
  });

  it("asks the usual ports of a host, and ends when none answers", async () => {
    // An address of this machine that nothing listens at.
    const { code, stderr } = await runCli(["capture", "--discover", "127.77.66.55"]);
    expect(code).toBe(1);
    expect(stderr).toContain("discovered: 0/9 endpoints reachable");
    const refused = stderr.split("\n").filter((line) => line.includes("Connection refused"));
    expect(refused).toEqual([
      `  127.77.66.55, ports ${DISCOVERY_PORTS.map(({ port }) => port).join(", ")}: Connection refused at 127.77.66.55.`,
    ]);
    expect(stderr).toContain("name its host (--discover HOST)");
  });

  it("says of a host without an address why, once, and what answers elsewhere", async () => {
    const good = await server();
    const { code, stderr } = await runCli([
      ...["capture", "--duration", "0.2", "--out", join(folder, "out")],
      ...["--discover", "no-such-host.invalid", `127.0.0.1:${good.port}`],
    ]);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("discovered: 1/10 endpoints reachable");
    expect(stderr.match(/could not be resolved/g)).toHaveLength(1);
    expect(stderr).toContain("  no-such-host.invalid: The host name no-such-host.invalid could not be resolved.");
  });
});
