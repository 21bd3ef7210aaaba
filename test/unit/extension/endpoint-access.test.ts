import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ChosenEndpoint } from "../../../src/extension/capture/endpoint-items.js";
import { memento } from "../../support/memento.js";

const { settings, prompts, vscode } = vi.hoisted(() => {
  const settings = new Map<string, unknown>();
  const prompts: { readonly title?: string; readonly password?: boolean }[] = [];
  const vscode = {
    typed: undefined as string | undefined,
    /** Where the settings are. */
    scope: "globalValue",
    /** Pressed in a question; what was asked. */
    pressed: undefined as string | undefined,
    asked: [] as string[],
    /** Says that settings have changed. */
    changed: () => {},
    workspace: {
      isTrusted: true,
      onDidChangeConfiguration: (listener: (event: { affectsConfiguration: () => boolean }) => void) => {
        vscode.changed = () => listener({ affectsConfiguration: () => true });
        return { dispose: () => undefined };
      },
      workspaceFolders: undefined,
      getConfiguration: () => ({
        get: (key: string, byDefault: unknown) => settings.get(key) ?? byDefault,
        inspect: (key: string) => ({ [vscode.scope]: settings.get(key) }),
        update: (key: string, value: unknown) => Promise.resolve(void settings.set(key, value)),
      }),
    },
    window: {
      showWarningMessage: (message: string, { detail }: { readonly detail: string }) => {
        vscode.asked.push(`${message}\n${detail}`);
        return Promise.resolve(vscode.pressed);
      },
      createInputBox: () => {
        const box = inputBox(() => vscode.typed);
        prompts.push(box);
        return box;
      },
    },
    ConfigurationTarget: { Global: 1, Workspace: 2 },
    MarkdownString: class {},
    TreeItem: class {},
    ProgressLocation: {},
  };
  return { settings, prompts, vscode };
});
vi.mock("vscode", () => vscode);
const { inputBox } = await import("../../support/input-box.js");
const { captureOptions, followApprovals, withAccess } = await import("../../../src/extension/capture/request.js");
const { EndpointHeaders } = await import("../../../src/extension/headers.js");
const { Origins } = await import("../../../src/extension/origins.js");
const { saveEndpoints } = await import("../../../src/extension/settings/endpoints.js");

const kept = new Map<string, unknown>();
const origins = new Origins(memento(kept));

let stored: Map<string, string>;
let headers: InstanceType<typeof EndpointHeaders>;
let folder: string;
beforeEach(async () => {
  settings.clear();
  prompts.splice(0);
  vscode.typed = undefined;
  vscode.scope = "globalValue";
  vscode.pressed = undefined;
  vscode.asked.splice(0);
  kept.clear();
  stored = new Map();
  headers = new EndpointHeaders(
    {
      get: (key) => Promise.resolve(stored.get(key)),
      store: (key, value) => Promise.resolve(void stored.set(key, value)),
      delete: (key) => Promise.resolve(void stored.delete(key)),
      onDidChange: () => ({ dispose: () => undefined }),
    },
    origins,
  );
  folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-access-"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

const configure = (...endpoints: readonly object[]) => settings.set("serverMetrics.endpoints", endpoints);
const reach = (...urls: readonly string[]) =>
  withAccess(
    urls.map((url): ChosenEndpoint => ({ url, origin: "settings" })),
    headers,
  );
const PEM = (what: string) => `-----BEGIN ${what}-----\nAA==\n-----END ${what}-----\n`;

it("a header's value comes from the environment, and one set for the endpoint goes before it", async () => {
  vi.stubEnv("SM_TOKEN", "s3cret");
  configure({ url: "https://a:1", headers: { Authorization: "Bearer ${env:SM_TOKEN}", "X-Scope-OrgID": "team" } });
  const [one] = await reach("https://a:1/metrics");
  expect(one?.headers).toEqual({ Authorization: "Bearer s3cret", "X-Scope-OrgID": "team" });
  await headers.set("https://a:1", { Authorization: "own" });
  expect((await reach("https://a:1"))[0]?.headers).toMatchObject({ Authorization: "own" });
});

it("a capture reads iteration statistics and events only of the endpoints whose settings ask for it", async () => {
  configure(
    { url: "trt-1:8000", source: "iteration-statistics", events: true, headers: { "X-Scope-OrgID": "team" } },
    { url: "trt-2:8000" },
  );
  const chosen = ["trt-1:8000", "trt-2:8000"].map((url): ChosenEndpoint => ({ url, origin: "settings" }));
  const request = { endpoints: chosen, warmup: { kind: "none" } as const, label: "" };
  const { endpoints, eventServers } = await captureOptions(request, headers, path.join(folder, "journal"));
  expect(endpoints.map(({ url, source }) => [url, source])).toEqual([
    ["trt-1:8000", "iteration-statistics"],
    ["trt-2:8000", undefined],
  ]);
  expect(eventServers).toMatchObject([{ url: "trt-1:8000", headers: { "X-Scope-OrgID": "team" } }]);
});

it("a secret is asked for once for each host and kept in the secret storage only", async () => {
  const value = "Bearer ${secret:gpu.token}";
  configure({ url: "a:1", headers: { Authorization: value } }, { url: "b:1", headers: { Authorization: value } });
  vscode.typed = "from-the-person";
  expect((await reach("a:1", "a:1"))[1]?.headers).toEqual({ Authorization: "Bearer from-the-person" });
  expect(prompts).toMatchObject([{ password: true }]);
  await reach("b:1");
  expect(prompts).toHaveLength(2);
  expect(JSON.stringify([...settings])).not.toContain("from-the-person");
});

it.each([
  ["${env:SM_NOT_THERE}", /header X: the environment .* has no SM_NOT_THERE/],
  ["${secret:declined}", /secret declined of a:1 has not been entered/],
  ["${command:run}", /\$\{command:run\} is not a reference/],
  ["two\nlines", /one-line strings/],
])("a header of %j starts no capture, and the message says why", async (value, message) => {
  configure({ url: "a:1", headers: { X: value } });
  await expect(reach("a:1")).rejects.toThrow(message);
});

it("certificates are read from the files of the endpoint and of the setting for all", async () => {
  const file = async (name: string, text: string) => {
    const full = path.join(folder, name);
    await writeFile(full, text);
    return full;
  };
  const [all, ca] = [await file("all.pem", PEM("CERTIFICATE")), await file("ca.pem", PEM("TRUSTED CERTIFICATE"))];
  const [cert, key] = [await file("cert.pem", PEM("CERTIFICATE")), await file("key.pem", PEM("EC PRIVATE KEY"))];
  settings.set("serverMetrics.certificateAuthority", all);
  configure({ url: "https://a:1", ca, cert, key });
  const [own, other] = await reach("https://a:1", "https://b:1");
  expect(own?.tls?.ca).toBe(`${PEM("CERTIFICATE")}\n${PEM("TRUSTED CERTIFICATE")}`);
  expect(own?.tls).toMatchObject({ cert: PEM("CERTIFICATE"), key: PEM("EC PRIVATE KEY") });
  expect(other?.tls).toEqual({ ca: PEM("CERTIFICATE") });
  configure({ url: "https://a:1", ca: key });
  await expect(reach("https://a:1")).rejects.toThrow(`${key} holds no certificate in PEM form`);
  configure({ url: "https://a:1", cert });
  await expect(reach("https://a:1")).rejects.toThrow(/needs both "cert" and "key"/);
});

it("a token typed into a URL is kept in the secret storage and sent, and two of them stay two endpoints", async () => {
  const first = await headers.takeCredentials("a:1/metrics?token=one&model=m");
  expect(first).toBe("http://a:1/metrics?token=REDACTED&model=m");
  await saveEndpoints([{ url: first, enabled: true }], origins);
  const second = await headers.takeCredentials("a:1/metrics?token=two&model=m");
  expect(second).toBe(`${first}#2`);
  await saveEndpoints([{ url: second, enabled: true }], origins);
  expect(JSON.stringify([...settings])).not.toMatch(/one|two/);
  const urls = (await reach(first, second)).map(({ url }) => url);
  expect(urls).toEqual(["http://a:1/metrics?token=one&model=m", "http://a:1/metrics?token=two&model=m#2"]);
  expect(await headers.takeCredentials("a:1/metrics?token=one&model=m")).toBe(first);
});

it("which parameters are secret is a setting", async () => {
  settings.set("serverMetrics.secretParameters", ["apikey"]);
  expect(await headers.takeCredentials("a:1/metrics?apikey=x&token=y")).toBe(
    "http://a:1/metrics?apikey=REDACTED&token=y",
  );
  expect((await reach("a:1"))[0]?.secretParameters).toEqual(["apikey"]);
});

it("saving another endpoint leaves headers and certificates of those there alone", async () => {
  const there = { url: "a:1", headers: { A: "${env:B}" }, ca: "ca.pem" };
  configure(there);
  await saveEndpoints([{ url: "b:1", enabled: true }], origins);
  expect(settings.get("serverMetrics.endpoints")).toEqual([there, { url: "b:1" }]);
});

describe("what the settings of a workspace name", () => {
  beforeEach(() => {
    vscode.scope = "workspaceValue";
    vi.stubEnv("SM_TOKEN", "s3cret");
  });
  const leak = { "X-Leak": "${env:SM_TOKEN}" };

  it("is asked for once, by its parsed origin and with what is sent, and nothing is read before", async () => {
    configure({ url: "http://localhost:8000@evil.example:9/ok", headers: leak });
    settings.set("serverMetrics.remoteWrite", "http://sink:9090");
    const request = {
      endpoints: [{ url: "http://localhost:8000@evil.example:9/ok", origin: "settings" } as const],
      warmup: { kind: "none" } as const,
      label: "",
    };
    const start = (mayAsk?: boolean) => captureOptions(request, headers, path.join(folder, "journal"), mayAsk);
    // As the window opens: no question, no value.
    await expect(start(false)).rejects.toThrow(/you have not approved/);
    expect(vscode.asked).toEqual([]);
    await expect(start()).rejects.toThrow(/^Nothing was sent/);
    expect(vscode.asked).toEqual([
      expect.stringContaining(
        "http://evil.example:9, which gets the user name “localhost”, header X-Leak with your environment's SM_TOKEN\n" +
          "http://sink:9090, which gets all that a capture reads\n",
      ),
    ]);
    vscode.pressed = "Allow";
    const { endpoints, remoteWrite } = await start();
    expect(endpoints[0]?.headers).toEqual({ "X-Leak": "s3cret" });
    expect(remoteWrite?.store.url).toBe("http://sink:9090");
    await start(false);
    expect(vscode.asked).toHaveLength(2);
    expect(JSON.stringify([...kept])).not.toContain("s3cret");
    // Taken back, it is asked for again.
    expect(await origins.forget()).toBe(2);
    await expect(start(false)).rejects.toThrow(/you have not approved/);
  });

  it.each([
    ["another server", { url: "b:1" }],
    ["another header", { url: "a:1", headers: { Cookie: "x" } }],
    ["a variable", { url: "a:1", headers: { A: "${env:SM_TOKEN}" } }],
    ["a certificate", { url: "a:1", cert: "c.pem", key: "k.pem" }],
  ])("is asked for again with %s", async (_, changed) => {
    vscode.pressed = "Allow";
    configure({ url: "a:1", headers: { A: "literal" } });
    await reach("a:1");
    await reach("a:1");
    expect(vscode.asked).toHaveLength(1);
    vscode.pressed = undefined;
    configure(changed);
    await expect(reach(changed.url)).rejects.toThrow(/you have not approved/);
  });

  it("is asked for again once it was taken out, however it comes back, and not for what stays", async () => {
    const [gone, stays] = [{ url: "a:1", headers: leak }, { url: "b:1" }];
    vscode.pressed = "Allow";
    configure(gone, stays);
    followApprovals(origins);
    await reach("a:1", "b:1");
    vscode.pressed = undefined;
    // An untrusted workspace has no settings of its own.
    vscode.workspace.isTrusted = false;
    configure();
    vscode.changed();
    vscode.workspace.isTrusted = true;
    configure(gone, stays);
    vscode.changed();
    expect(await reach("a:1", "b:1")).toHaveLength(2);
    configure(stays);
    vscode.changed();
    configure(gone, stays);
    vscode.changed();
    expect(await reach("b:1")).toHaveLength(1);
    await expect(reach("a:1")).rejects.toThrow(/you have not approved/);
    // Also where it was taken out while no window was open.
    vscode.pressed = "Allow";
    await reach("a:1");
    vscode.pressed = undefined;
    configure();
    followApprovals(origins);
    configure(stays);
    await expect(reach("b:1")).rejects.toThrow(/you have not approved/);
  });

  it("goes along with a server that the user types only when the user agrees", async () => {
    configure({ url: "a:1", headers: leak });
    const typed = (url: string) => withAccess([{ url, origin: "typed" }], headers);
    await expect(typed("a:1")).rejects.toThrow(/X-Leak/);
    expect(await typed("b:1")).toMatchObject([{ url: "b:1" }]);
    expect(vscode.asked).toHaveLength(1);
  });

  it("is not asked for where the user has saved it", async () => {
    await saveEndpoints([{ url: "a:1", enabled: true }], origins);
    expect(await reach("a:1")).toMatchObject([{ url: "a:1" }]);
    expect(vscode.asked).toEqual([]);
  });
});

describe("what a file names", () => {
  const open = (url: string) => withAccess([{ url, origin: "file" }], headers);

  it("is asked for once", async () => {
    await expect(open("http://127.0.0.1:22061/steal")).rejects.toThrow(/the file names a server .*127\.0\.0\.1:22061/);
    vscode.pressed = "Allow";
    await open("http://127.0.0.1:22061/steal");
    await open("http://127.0.0.1:22061/other");
    expect(vscode.asked).toHaveLength(2);
  });

  it("is not asked for where the user's own settings name it", async () => {
    settings.set("serverMetrics.stores", [{ url: "http://store:9090" }]);
    expect(await open("http://store:9090")).toHaveLength(1);
    expect(vscode.asked).toEqual([]);
  });
});
