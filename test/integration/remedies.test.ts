import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { answering, cliFolder } from "../support/cli-folder.js";
import { runCli, startCli } from "../support/cli.js";
import type { Handler } from "../support/faulty-server.js";
import { sourceFiles } from "../support/imports.js";
import { textsIn } from "../support/texts.js";

const { file, server } = cliFolder();
const ROOT = path.resolve(import.meta.dirname, "../..");
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
  /** Its exit code, where that is not 0. */
  readonly code?: number;
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
      says: /^.*requires credentials: give them with --header "Authorization: Bearer …", or in the endpoint's headers/m,
      failing: ["snapshot", origin],
      mended: ["snapshot", origin, "--header", "Authorization: Bearer t0ken"],
    };
  },
  "the test ends before a slow server answers": async () => {
    const { origin } = await server(late(700));
    return {
      says: /raise the reachability timeout\./,
      failing: ["snapshot", origin, "--reachability-timeout", "0.3"],
      mended: ["snapshot", origin, "--reachability-timeout", "20"],
    };
  },
  "a scrape ends before a slow server answers": async () => {
    let requests = 0;
    // Both requests of the test, and the first scrape, are answered at once.
    const { origin } = await server((request, response) => late(++requests <= 3 ? 0 : 500)(request, response));
    return {
      says: /raise the scrape timeout\./,
      failing: capture(origin, "--scrape-timeout", "100ms"),
      mended: capture(origin, "--scrape-timeout", "20000ms"),
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
  "a store asks for credentials": async () => {
    const { origin } = await server(answers);
    const store = await server((request, response) =>
      request
        .resume()
        .on("end", () => response.writeHead(request.headers.authorization === "Bearer t0ken" ? 204 : 401).end()),
    );
    return {
      says: /Give what it asks for with (?:--remote-write-header|--header) 'Authorization: Bearer \$TOKEN'/,
      failing: capture(origin, "--remote-write", store.origin),
      mended: capture(
        origin,
        ...["--remote-write", store.origin, "--remote-write-header", "Authorization: Bearer t0ken"],
      ),
    };
  },
  "a scrape takes much of the interval": async () => {
    const { origin } = await server(late(60));
    return {
      says: /Scrape less often: --interval/,
      failing: capture(origin, "--interval", "100ms", "--duration", "3"),
      mended: capture(origin, "--interval", "2000ms", "--duration", "3"),
    };
  },
  "there is nothing to check": async () => {
    const { origin } = await server(answers);
    await runCli(capture(origin, "--formats", "json"));
    const run = file("out/server_metrics_export.json");
    return {
      says: /Give --assert, --file or --slo\./,
      failing: ["check", run],
      mended: ["check", run, "--assert", "a avg > 0"],
    };
  },
  "a family is not there": async () => {
    const { origin } = await server(answers);
    await runCli(capture(origin, "--formats", "json"));
    const run = file("out/server_metrics_export.json");
    return {
      says: /without --family all are shown\./,
      failing: ["show", run, "--family", "b"],
      mended: ["show", run],
    };
  },
  "no guarded metric is there": async () => {
    const { origin } = await server(answers);
    for (const name of ["out", "out2"]) await runCli([...capture(origin, "--formats", "jsonl"), "--out", file(name)]);
    const runs = ["out", "out2"].map((name) => file(`${name}/server_metrics_export.jsonl`));
    return {
      says: /Name the metrics with --metrics\./,
      failing: ["compare", ...runs, "--fail-on", "worse"],
      mended: ["compare", ...runs, "--fail-on", "worse", "--metrics", "a"],
      // So short a run decides nothing.
      code: 3,
    };
  },
  "a warm-up lies after the profiling": async () => {
    const line = (second: number) =>
      JSON.stringify({
        ...{ url: "http://a:1/metrics", t_ns: second * 1e9, latency_ns: 5, status: 200 },
        ...{ content_type: "text/plain", body: `a ${second}\n` },
      });
    await writeFile(file("log"), `${[1, 2, 3, 4].map(line).join("\n")}\n`);
    const replay = ["replay", file("log"), "--formats", "json", "--out", file("replayed")];
    const times = (from: string, to: string) => [
      "--warmup-start-ns",
      from,
      "--warmup-end-ns",
      to,
      "--start-ns",
      "2500000000",
    ];
    return {
      says: /--warmup-start-ns comes before --warmup-end-ns and --start-ns\./,
      failing: [...replay, ...times("3000000000", "2000000000")],
      mended: [...replay, ...times("1000000000", "2000000000")],
    };
  },
  "a prefix names another folder": async () => {
    const { origin } = await server(answers);
    return {
      says: /--out gives the folder\./,
      failing: capture(origin, "--prefix", "in/b"),
      mended: [...capture(origin, "--prefix", "b"), "--out", file("in")],
    };
  },
  "a server is none that is known": async () => {
    const { origin } = await server(answers);
    return {
      says: /--summary all shows every family\./,
      failing: capture(origin),
      mended: capture(origin, "--summary", "all"),
    };
  },
  "the folder holds another run": async () => {
    const { origin } = await server(answers);
    await mkdir(file("taken"));
    await writeFile(file("taken/server_metrics_export.json"), "{}");
    return {
      says: /Choose another --out or --prefix, or give --force/,
      failing: ["capture", origin, "--duration", "1", "--formats", "json", "--out", file("taken")],
      mended: ["capture", origin, "--duration", "1", "--formats", "json", "--out", file("taken"), "--prefix", "b"],
    };
  },
  "there is nothing to note": async () => {
    const { origin } = await server(answers);
    await runCli(capture(origin));
    const note = ["runs", file(""), "--run", "out"];
    return {
      says: /Give --label, --note, --tag, --untag, --star or --archive\./,
      failing: note,
      mended: [...note, "--star"],
    };
  },
  "a folder's journal is no experiment's": async () => {
    await runCli(["experiment", "init", file("demo.experiment.yaml")]);
    await mkdir(file("damaged"));
    await writeFile(file("damaged/experiment.jsonl"), "{}\n");
    const show = ["experiment", "show", file("demo.experiment.yaml"), "--out"];
    return {
      says: /Choose another --out\.$/m,
      failing: [...show, file("damaged")],
      mended: [...show, file("free")],
    };
  },
};

/** Advice that other tests take: where, and the option or word that they do it by. */
const ELSEWHERE: readonly (readonly [advice: RegExp, test: string, by: string])[] = [
  [/Open the run with --client to see its metrics/, "client-beside", "--client"],
  [/server-metrics recover '…' --out DIR/, "cli-interrupted", '"recover"'],
  [/allow more with --memory-limit|needs more than … MiB/, "cli-memory", "--memory-limit"],
  [/needs both --cert and --key|^Give the client's certificate and key/, "cli-secrets", "--cert"],
  [/name it with --ca/, "cli-secrets", "--ca"],
  [/look for some with --discover HOST|name its host \(--discover HOST\)/, "cli-discovery", "--discover"],
  [/Name others with --selector|Check --selector/, "cli-discovery", "--selector"],
  [/name another one with --namespace/, "cli-discovery", "--namespace"],
  [/Choose a shorter time \(--last/, "fetch-aggregate", "--last"],
  [/a value every|Choose a later time, or --step/, "fetch-beginning", "--step"],
  [/One of them alone/, "fetch-aggregate", "--instance"],
  [/no folder: give --out DIR, or --dry-run|no time: give --start and --end/, "fetch-prometheus", "--dry-run"],
  [/server-metrics fetch --match/, "fetch-prometheus", "--match"],
  [/give show or export a higher --series-limit/, "cli-endpoint-life", "--series-limit"],
  [/move the client's times with --client-offset|A client offset in seconds/, "client-beside", "--client-offset"],
  [/runs are pushed to \/metrics\/job/, "sinks-other-stores", '"push"'],
  [/export --formats openmetrics|web\.enable-remote-write-receiver/, "sinks-names", "openmetrics"],
  [/as headers of the store in serverMetrics\.stores/, "stores-access", "serverMetrics.stores"],
  [/--iteration-stats URL/, "iteration-statistics", "--iteration-stats"],
  [/Give --anew to set them aside|experiment run --anew` sets them aside/, "experiment", '"--anew"'],
  [/Wait for it, or choose another --out/, "experiment", "runs the experiment"],
  [/--window load or --window all measures both alike/, "compare-windows", '"--window"'],
  [/An experiment makes them: .*experiment init --from/, "experiment", '"--from"'],
];
/** About other programs, what to read beside an answer, or a file that is written. */
const NOT_RUN = [
  /server-metrics mcp --time-limit/,
  /vLLM writes start_times since/,
  /^Give each capture a folder/,
  /^not checked \(--undecided/,
  /--json has all/,
  /more statistics: see --wide/,
  /^# yaml-language-server: \$schema=/,
  // Commands of the examples that `experiment init` writes.
  /^\$\{server_metrics\} demo --port/,
  /^aiperf profile --url/,
  /^ *# server: vllm serve/,
];

/** Texts that name an option of ours, but for those that describe the options. */
function adviceIn(file: string): readonly string[] {
  const describing = new Set(["option", "Option", "description", "summary", "argument", "usage", "addHelpText"]);
  const other = /enable-metrics|^--|^ ?Exit codes|^\[options\]|see --help|^header sent|^the file is not/;
  return textsIn(path.join(ROOT, file), describing).filter(
    (text) => /(?<![\w-])--[a-z][a-z-]+/.test(text) && /[a-z]{2,} /i.test(text) && !other.test(text.trim()),
  );
}

it("all advice that names an option is taken by a test", async () => {
  const taken = await Promise.all(Object.values(CASES).map(async (of) => (await of()).says));
  const files = sourceFiles(ROOT, ["src"]).filter(
    (file) => !/core\/(catalog|insights)|src\/demo|extension\/manifest/.test(file),
  );
  const known = [...taken, IN_USE, ...ELSEWHERE.map(([advice]) => advice), ...NOT_RUN];
  const untaken = files.flatMap((file) => adviceIn(file).filter((text) => !known.some((advice) => advice.test(text))));
  expect(untaken).toEqual([]);
  for (const [, name, by] of ELSEWHERE)
    expect(await readFile(path.join(import.meta.dirname, `${name}.test.ts`), "utf8")).toContain(by);
});

describe("a remedy that is printed helps", () => {
  it.each(Object.entries(CASES))("where %s", async (_, of) => {
    const { says, failing, mended, code: expected = 0 } = await of();
    const failed = await runCli([...failing]);
    expect(failed.stdout + failed.stderr).toMatch(says);
    const { code, stdout, stderr } = await runCli([...mended]);
    expect({ code, said: stdout + stderr }).toEqual({
      code: expected,
      said: expect.not.stringMatching(says) as string,
    });
  });
});

const IN_USE = /--port 0 takes a free one/;

it("a port that is in use can be another one", async () => {
  const { port } = await server(answers);
  expect((await runCli(["demo", "--port", String(port)])).stderr).toMatch(IN_USE);
  const demo = startCli(["demo", "--port", "0"]);
  const [serving] = (await once(demo.child.stdout ?? demo.child, "data")) as [Buffer];
  expect(String(serving)).toMatch(/http:\/\/\S+:\d+/);
  demo.child.kill("SIGTERM");
  await demo.finished;
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
