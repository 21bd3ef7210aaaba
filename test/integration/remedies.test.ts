import { mkdir, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { answering, cliFolder } from "../support/cli-folder.js";
import { runCli } from "../support/cli.js";
import type { Handler } from "../support/faulty-server.js";

const { file, server } = cliFolder();
const METRICS = "# TYPE a gauge\na 1\n";
const answers = answering(METRICS);

/** Answers after a time, of the server's clock alone. */
const late =
  (ms: number): Handler =>
  (_, response) =>
    void setTimeout(() => response.end(METRICS), ms);

interface Case {
  readonly says: RegExp;
  readonly failing: readonly string[];
  /** The command with what the remedy says. */
  readonly mended: readonly string[];
}

const capture = (url: string, ...more: readonly string[]) => [
  "capture",
  url,
  ...["--duration", "1", "--formats", "json", "--out", file("out"), "--force", ...more],
];

/** What the command line advises, each with the command that it is advised to. */
const CASES: Readonly<Record<string, () => Promise<Case>>> = {
  "credentials are missing": async () => {
    const { origin } = await server((request, response) =>
      request.headers.authorization === "Bearer t0ken" ? answers(request, response) : response.writeHead(401).end("no"),
    );
    return {
      says: /requires credentials: give them with --header "Authorization: Bearer …", or in the endpoint's headers/,
      failing: ["snapshot", origin],
      mended: ["snapshot", origin, "--header", "Authorization: Bearer t0ken"],
    };
  },
  "the test ends before a slow server answers": async () => {
    const { origin } = await server(late(700));
    return {
      says: /within 0\.3 s\. .*raise the reachability timeout\./,
      failing: ["snapshot", origin, "--reachability-timeout", "0.3"],
      mended: ["snapshot", origin, "--reachability-timeout", "20"],
    };
  },
  "a scrape ends before a slow server answers": async () => {
    let requests = 0;
    // Both requests of the test, and the first scrape, are answered at once.
    const { origin } = await server((request, response) => late(++requests <= 3 ? 0 : 500)(request, response));
    return {
      says: /within 0\.1 s\. .*raise the scrape timeout\./,
      failing: capture(origin, "--scrape-timeout", "100"),
      mended: capture(origin, "--scrape-timeout", "20000"),
    };
  },
  "a body is beyond its limit": async () => {
    const { origin } = await server(answering(METRICS + "# ".padEnd(2 * 1024 ** 2, "x")));
    return {
      says: /raise serverMetrics\.bodyLimit \(--body-limit\)/,
      failing: ["snapshot", origin, "--body-limit", "1"],
      mended: ["snapshot", origin, "--body-limit", "64"],
    };
  },
  "a redirect leads to another server": async () => {
    const other = await server(answers);
    const { origin } = await server((_, response) =>
      response.writeHead(302, { location: `${other.origin}/metrics` }).end(),
    );
    return {
      says: /If you mean that server, use its URL\./,
      failing: ["snapshot", origin],
      mended: ["snapshot", other.origin],
    };
  },
  "the path has no metrics": async () => {
    const { origin } = await server((request, response) =>
      request.url === "/metrics" ? answers(request, response) : response.writeHead(404).end(),
    );
    return {
      says: /Check the path\./,
      failing: ["snapshot", `${origin}/app`],
      mended: ["snapshot", `${origin}/metrics`],
    };
  },
  "the folder holds another run": async () => {
    const { origin } = await server(answers);
    await mkdir(file("taken"));
    await writeFile(file("taken/server_metrics_export.json"), "{}");
    return {
      says: /Choose another --out or --prefix, or give --force to replace it\./,
      failing: ["capture", origin, "--duration", "1", "--formats", "json", "--out", file("taken")],
      mended: ["capture", origin, "--duration", "1", "--formats", "json", "--out", file("taken"), "--prefix", "b"],
    };
  },
};

describe("a remedy that is printed helps", () => {
  it.each(Object.entries(CASES))("where %s", async (_, of) => {
    const { says, failing, mended } = await of();
    expect((await runCli([...failing])).stderr).toMatch(says);
    const { code, stderr } = await runCli([...mended]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringMatching(says) as string });
  });
});

describe("the URL of a server's API", () => {
  it("stands for the server's metrics, which is said", async () => {
    const { origin } = await server((request, response) =>
      request.url === "/metrics" ? answers(request, response) : response.writeHead(404).end("{}"),
    );
    const { code, stdout, stderr } = await runCli(["snapshot", `${origin}/v1/chat/completions`]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Gauge     a 1\n" });
    expect(stderr).toContain(`${origin}/v1/chat/completions is for requests: the server's /metrics is read instead.`);
  });
});
