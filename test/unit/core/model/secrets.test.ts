import { afterEach, describe, expect, it } from "vitest";
import { displayName, RecordedUrls } from "../../../../src/core/model/index.js";
import {
  commandText,
  scrubConfiguration,
  scrubText,
  scrubUrl,
  useSecretParameters,
  SECRET_PARAMETERS,
} from "../../../../src/core/text/index.js";

describe("a URL as it is recorded", () => {
  it.each(["token", "access_token", "key", "api_key", "sig", "signature", "password", "secret"])(
    "has no value of the query parameter %s",
    (name) => {
      expect(scrubUrl(`http://h:1/metrics?a=1&${name}=s3cr3t&b=2#top`)).toBe(
        `http://h:1/metrics?a=1&${name}=REDACTED&b=2#top`,
      );
    },
  );

  it.each([
    "http://h/metrics?tokenizer=x&max_tokens=5&monkey=1&keys=2&secrets=3",
    "http://h/token=abc/metrics",
    "http://h/metrics?token=",
    "http://h/metrics#token=abc",
  ])("keeps %s, for only whole names of query parameters count", (url) => {
    expect(scrubUrl(url)).toBe(url);
  });

  it.each([
    ["http://h/metrics?%74oken=abc", "http://h/metrics?%74oken=REDACTED"],
    ["http://h/metrics?TOKEN=abc", "http://h/metrics?TOKEN=REDACTED"],
    ["http://h/metrics?token=a=b?c", "http://h/metrics?token=REDACTED"],
    ["http://h/metrics?token=a&token=b", "http://h/metrics?token=REDACTED&token=REDACTED"],
    ["http://h/metrics?token=%zz", "http://h/metrics?token=REDACTED"],
    ["http://h/metrics?a=1;sig=x", "http://h/metrics?a=1;sig=REDACTED"],
    ["http://h/metrics?token=ab;cd&a=1", "http://h/metrics?token=REDACTED&a=1"],
    ["http://h/metrics?next=http://g/?token=abc&a=1", "http://h/metrics?next=http://g/?token=REDACTED&a=1"],
  ])("reads %s as a server does", (url, scrubbed) => {
    expect(scrubUrl(url)).toBe(scrubbed);
  });

  it("takes other names where they are given", () => {
    expect(scrubUrl("http://h/?auth=1&token=2", ["auth"])).toBe("http://h/?auth=REDACTED&token=2");
  });

  it("shows which of several it is that differ only in a secret", () => {
    expect(displayName("http://h:1/metrics?token=REDACTED#2")).toBe("h:1 #2");
  });
});

it("a configuration as it is recorded has no header values, tokens and secret parameters, and all else", () => {
  expect(
    scrubConfiguration({
      server_metrics: ["http://h/metrics?token=abc", "no URL ?token=abc"],
      endpoint: { api_key: "sk-1", headers: { Authorization: "Bearer x" }, tokenizer: "llama", max_tokens: 5 },
      server: { api_key: ["one", "two"], hf_token: "x", key: 5, token: "" },
      header: ["Authorization: Bearer x", ["X-Key", "y"]],
    }),
  ).toEqual({
    server_metrics: ["http://h/metrics?token=REDACTED", "no URL ?token=abc"],
    endpoint: { api_key: "REDACTED", headers: { Authorization: "REDACTED" }, tokenizer: "llama", max_tokens: 5 },
    server: { api_key: ["REDACTED", "REDACTED"], hf_token: "REDACTED", key: 5, token: "" },
    header: ["Authorization: REDACTED", ["X-Key", "REDACTED"]],
  });
});

it("a command line in a configuration loses them too, and a URL its credentials", () => {
  const command = (header: string, key: string, url: string) =>
    `bench --url ${url} -H 'X-Key: ${header}' --header "Authorization: ${header}" --api-key ${key} --password="${key}" --tokenizer llama`;
  expect(
    scrubConfiguration({
      cli_command: command("Bearer s3cr3t", "s3cr3t", "http://user:s3cr3t@h/v1?api_key=s3cr3t"),
      extra_headers: { "X-Key": "s3cr3t" },
      nested: [{ server: "https://user:s3cr3t@h/metrics" }],
    }),
  ).toEqual({
    cli_command: command("REDACTED", "REDACTED", "http://h/v1?api_key=REDACTED").replace('"REDACTED"', "REDACTED"),
    extra_headers: { "X-Key": "REDACTED" },
    nested: [{ server: "https://h/metrics" }],
  });
});

it.each([
  "a.".repeat(200_000),
  " -".repeat(200_000),
  "-".repeat(400_000),
  " ".repeat(400_000),
  "authorization".repeat(30_000),
])("a configuration is read in linear time", (text) => {
  expect(scrubConfiguration({ text })).toEqual({ text });
});

describe("the URLs of a file", () => {
  afterEach(() => useSecretParameters(SECRET_PARAMETERS));

  it("are numbered where they differ only in a secret, and keep their names", () => {
    const urls = new RecordedUrls();
    const written = [
      "http://h:1/metrics?token=a",
      "http://h:1/metrics?token=b",
      "http://user:pw@h:1/metrics?token=c",
      "http://h:1/metrics?max_tokens=1&tokenizer=t",
    ];
    const recorded = [
      "http://h:1/metrics?token=REDACTED",
      "http://h:1/metrics?token=REDACTED#2",
      "http://h:1/metrics?token=REDACTED#3",
      "http://h:1/metrics?max_tokens=1&tokenizer=t",
    ];
    expect(written.map((url) => urls.of(url))).toEqual(recorded);
    expect(written.map((url) => urls.of(url))).toEqual(recorded);
    // What was written so is read so.
    const again = new RecordedUrls();
    expect(recorded.map((url) => again.of(url))).toEqual(recorded);
  });

  it("lose the parameters that the setting names", () => {
    useSecretParameters(["sas"]);
    expect(new RecordedUrls().of("http://h/metrics?sas=x&token=y")).toBe("http://h/metrics?sas=REDACTED&token=y");
  });

  it("lose their secrets in messages too", () => {
    expect(scrubText('GET "http://u:p@h/metrics?key=abc" failed; token=5 is no URL')).toBe(
      'GET "http://h/metrics?key=REDACTED" failed; token=5 is no URL',
    );
  });
});

describe("the command line of a process", () => {
  const SECRET = "s3cr3t-Value";
  /** Every place of a command line in which a secret may stand, by how it is written there. */
  const PLACES: Readonly<Record<string, readonly string[]>> = {
    "an option": ["vllm", "serve", "--api-key", SECRET],
    "an option that looks like one": ["vllm", "--api-key", `-${SECRET}`],
    "an option with =": ["vllm", `--hf-token=${SECRET} and more ${SECRET}`],
    "an option whose last words tell": ["bench", "--openai-api-key", SECRET],
    "a header": ["curl", "-H", `Authorization: Bearer ${SECRET}`],
    "a header of a name of its own": ["aiperf", "--header", `X-Team: ${SECRET}`],
    "headers as JSON": ["bench", "--extra-headers", JSON.stringify({ "X-Team": SECRET })],
    "headers with =": ["bench", `--header=X-Team: ${SECRET}`],
    "JSON of an option": [
      "bench",
      "--backend-kwargs",
      JSON.stringify({ api_key: SECRET, deep: [{ password: SECRET }] }),
    ],
    "JSON with =": ["bench", `--backend-kwargs=${JSON.stringify({ apiKey: SECRET })}`],
    "a pair": ["aiperf", "--extra-inputs", `api_key:${SECRET}`],
    "a variable": ["env", `HF_TOKEN=${SECRET}`, "vllm"],
    "variables of a shell": ["bash", "-c", `AWS_SECRET_ACCESS_KEY=${SECRET} OPENAI_API_KEY="${SECRET}" ./run`],
    "options of a shell": ["bash", "-c", `curl --password ${SECRET} -H "Authorization: Bearer ${SECRET}" http://h`],
    "a URL": ["bench", "--url", `https://user:${SECRET}@h/v1?token=${SECRET}`],
    "a URL with =": ["bench", `--url=https://user:${SECRET}@h/v1?token=${SECRET}`],
    credentials: ["curl", "-u", `user:${SECRET}`],
  };

  it.each(Object.entries(PLACES))("has no secret of %s", (_, args) => {
    const text = commandText(args);
    expect(text).not.toContain(SECRET);
    expect(text).toContain("REDACTED");
    expect(text.startsWith(args[0] ?? "")).toBe(true);
  });

  it.each([
    "hf_abcdefghijklmnopqrstuvwxyz",
    "sk-proj-abcdefghijklmnop",
    "eyJhbGciOiJIUzI1.eyJzdWIi.abc",
    "AKIAIOSFODNN7EXAMPLE1",
  ])("has no %s, wherever it stands", (key) => {
    expect(commandText(["run", key, `x=${key}`])).not.toContain(key);
  });

  it("keeps all else, quoted for a shell", () => {
    expect(
      commandText([
        "vllm",
        "serve",
        "org/model",
        "--max-num-seqs",
        "64",
        "--max-tokens=5",
        "--tokenizer",
        "a b",
        "it's",
      ]),
    ).toBe("vllm serve org/model --max-num-seqs 64 --max-tokens=5 --tokenizer 'a b' 'it'\\''s'");
    expect(commandText(["python", "-u", "run.py", "--key-frames", "3", "--sk-learn"])).toBe(
      "python -u run.py --key-frames 3 --sk-learn",
    );
    expect(commandText(["x", '--speculative-config={"num_speculative_tokens":3}'])).toBe(
      `x '--speculative-config={"num_speculative_tokens":3}'`,
    );
  });
});
